"""The commands of archives: run one, and look at the directory of one."""
