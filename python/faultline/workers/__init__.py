"""Processes in which compilers run; what they say to each other is in protocol.py."""
