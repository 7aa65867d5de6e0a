/**
 * The maximum number of connections that wait in the kernel until the server accepts them. The kernel reduces this
 * number to its own limit (`net.core.somaxconn` on Linux, 4096 by default).
 *
 * With Node's default of 511, a burst of connections fills the kernel's queue. Linux then ignores the end of a client's
 * handshake and repeats its own part after 1, 2 and 4 seconds, while the client already considers itself connected.
 */
export const maxBacklog = 65_535;
