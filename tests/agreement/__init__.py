"""How far the labels agree with what the public benchmarks say of their own runs, and where they differ."""
