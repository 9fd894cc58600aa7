"""PDFs in which everything meets that changes how they look: made, looked at, checked."""
