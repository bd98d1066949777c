"""Suite files: what tools do, what tasks allow, and the tables made of both."""
