"""The sender: send endpoints, network publications, flow control, retransmission."""
