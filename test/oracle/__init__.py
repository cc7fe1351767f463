# SPDX-License-Identifier: BSD-3-Clause
"""A second opinion on what segseal does, written from the standards and docs/, not from its code.

capture   pcap files in and out
mac       the two HMAC constructions, with Python's hmac
build     packets, with scapy for everything but the HMAC TLV (scapy's has a wrong Length)
parse     find and check the SRH of a frame, slowly
edit      put an HMAC TLV into a frame, and take it out
gateway   the whole gateway: frames in, frames and counters out

None of it imports or runs segseal.
"""
