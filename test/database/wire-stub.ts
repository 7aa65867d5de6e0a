/** Simulates a server that implements only sign-in, for methods that a test cluster doesn't support. */
import { createServer, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

export interface Stub {
  readonly port: number;
  /** The passwords that clients sent, and the names and values in their startup messages. */
  readonly passwords: string[];
  readonly startups: string[][];
  /** The names in the certificates that clients presented. Empty for a client without a certificate. */
  readonly certificates: string[];
  close(): Promise<void>;
}

export interface StubOptions {
  /**
   * The part of the server's authentication request that follows the length. If this part is undefined, the server
   * doesn't request a password. If this part is empty, the server doesn't respond.
   */
  readonly asks?: Buffer;
  /** With `refuse`, the server responds with `N` to a request for TLS. */
  readonly tls?: 'accept' | 'refuse';
  /** The parameters that the server reports in addition to the version. */
  readonly reports?: Readonly<Record<string, string>>;
  /** The SQLSTATE that is returned for every sign-in attempt. */
  readonly refuses?: string;
}

const SSL_REQUEST = 80_877_103;

export async function startStub({ asks, tls = 'refuse', reports = {}, refuses }: StubOptions): Promise<Stub> {
  const passwords: string[] = [];
  const startups: string[][] = [];
  const certificates: string[] = [];
  const sockets = new Set<Socket>();

  const serve = (socket: Socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      if (chunk[0] === 0x70) {
        passwords.push(chunk.toString('utf8', 5, chunk.length - 1));
        letIn(socket, reports);
      } else if (chunk[0] === 0 && chunk.length === 8 && chunk.readInt32BE(4) === SSL_REQUEST) {
        if (tls === 'refuse') {
          socket.write('N');
          return;
        }
        socket.removeAllListeners('data');
        socket.write('S');
        const secured = new TLSSocket(socket, {
          isServer: true,
          key: TEST_KEY,
          cert: TEST_CERTIFICATE,
          requestCert: true,
          rejectUnauthorized: false,
        });
        secured.once('secure', () => {
          const name = secured.getPeerCertificate().subject?.CN;
          if (name !== undefined) certificates.push(String(name));
        });
        serve(secured);
      } else if (chunk[0] === 0) {
        startups.push(chunk.toString('utf8', 8).split('\0').slice(0, -2));
        if (refuses !== undefined)
          socket.end(message('E', Buffer.from(`SFATAL\0VFATAL\0C${refuses}\0Mno\0\0`)));
        else if (asks === undefined) letIn(socket, reports);
        else if (asks.length > 0) socket.write(message('R', asks));
      }
    });
  };

  const server: Server = createServer((socket) => {
    sockets.add(socket);
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port.');
  return {
    port: address.port,
    passwords,
    startups,
    certificates,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function letIn(socket: Socket, reports: Readonly<Record<string, string>>): void {
  const ok = message('R', Buffer.from([0, 0, 0, 0]));
  const key = message('K', Buffer.from([0, 0, 0, 7, 1, 2, 3, 4]));
  const status = Buffer.concat(
    Object.entries({ server_version: '99', ...reports }).map(([name, value]) =>
      message('S', Buffer.from(`${name}\0${value}\0`)),
    ),
  );
  // The response is sent in two parts and is split in the middle of a message.
  const all = Buffer.concat([ok, status, key, message('Z', Buffer.from('I'))]);
  socket.write(all.subarray(0, 13));
  setImmediate(() => socket.write(all.subarray(13)));
}

function message(type: string, body: Buffer): Buffer {
  const bytes = Buffer.alloc(5 + body.length);
  bytes.write(type, 'latin1');
  bytes.writeInt32BE(4 + body.length, 1);
  body.copy(bytes, 5);
  return bytes;
}

/** A self-signed certificate for `localhost` that isn't used elsewhere. */
export const TEST_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBlTCCATugAwIBAgIUUmXUtdamTNRBFJUuf/dUEbAP9aAwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA0NDYzNVoYDzIxMjYxMDI4
MDQ0NjM1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARHcdRHMzThzj/sXhpWSgM4WNoYgAgnnm3OpIOSPlUKyaPXW5RcTajF
/XiyR7bvv2dCtQn4U6R3oA7b5ZVoQwvIo2kwZzAdBgNVHQ4EFgQUE6ldeJrIVabj
gQDYwzGkLg6cSuEwHwYDVR0jBBgwFoAUE6ldeJrIVabjgQDYwzGkLg6cSuEwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SAAwRQIhAPA1xjHL1I99IxI15AVdY8Qh/AJXB3beTXDZ0aO4ADsaAiB2qBRaoo8g
BzzF8uTlWxVjA8t6R+azRRmt2dCkIuj+Zg==
-----END CERTIFICATE-----
`;

export const TEST_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgQizniz9j3M/CY590
84HMvYPqx0QFIgYrpneoPsKhDoyhRANCAARHcdRHMzThzj/sXhpWSgM4WNoYgAgn
nm3OpIOSPlUKyaPXW5RcTajF/XiyR7bvv2dCtQn4U6R3oA7b5ZVoQwvI
-----END PRIVATE KEY-----
`;
