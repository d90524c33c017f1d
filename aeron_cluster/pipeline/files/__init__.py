"""Where recordings are: directories, URLs and object stores, and the directories of members."""
