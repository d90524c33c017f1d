"""The receiver: receive endpoints, images, congestion control, loss detection and its report."""
