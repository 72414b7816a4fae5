"""The whole model as one live picture, with the tensor's walk."""
