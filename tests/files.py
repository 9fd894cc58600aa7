"""Files of modules that tests write."""


def write_files(folder, files):
    """Write texts below a folder, ``write_files(folder, {"talk/class/api_words.py": text})``; return the folder."""
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder
