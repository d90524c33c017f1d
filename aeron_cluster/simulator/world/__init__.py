"""The simulated world: time, network, disks, processes, machines, and the loop that drives them."""
