"""The weights of public models as files hold them: which tensors there are, and whether they are those of a preset."""
