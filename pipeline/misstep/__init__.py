"""What a tool-using agent did that it should not have done, from recorded traces."""

__version__ = "0.1.0"
