/**
 * Reads the checksums that clients send with a body. `Content-MD5` and `x-amz-checksum-*` are base64, in a header or in
 * a trailer of an aws-chunked body. The hash that the request's signature covers is in hexadecimal.
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { crc32c, crc64nvme } from './crc.ts';

export type ChecksumName = 'md5' | 'crc32' | 'crc32c' | 'crc64nvme' | 'sha1' | 'sha256';

/** The length of each checksum in bytes. */
const lengths: Record<ChecksumName, number> = {
  md5: 16,
  crc32: 4,
  crc32c: 4,
  crc64nvme: 8,
  sha1: 20,
  sha256: 32,
};

const headerPrefix = 'x-amz-checksum-';

/**
 * Returns the checksum that a header contains, such as `crc32c` for `x-amz-checksum-crc32c`. Returns undefined for
 * other headers.
 */
export function checksumOfHeader(header: string): ChecksumName | undefined {
  const name = header.toLowerCase().startsWith(headerPrefix)
    ? header.toLowerCase().slice(headerPrefix.length)
    : '';
  return name !== 'md5' && Object.hasOwn(lengths, name) ? (name as ChecksumName) : undefined;
}

/** Decodes a base64 checksum. Returns undefined if the text isn't a valid checksum of the algorithm. */
export function decodeChecksum(name: ChecksumName, base64: string): Buffer | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length === lengths[name] ? bytes : undefined;
}

export interface RunningChecksum {
  update(bytes: Uint8Array): void;
  digest(): Buffer;
}

export function startChecksum(name: ChecksumName): RunningChecksum {
  switch (name) {
    case 'crc32':
      return runningCrc32();
    case 'crc32c':
      return crc32c();
    case 'crc64nvme':
      return crc64nvme();
    default: {
      const hash = createHash(name);
      return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest() };
    }
  }
}

function runningCrc32(): RunningChecksum {
  let crc = 0;
  return {
    update(bytes) {
      crc = crc32(bytes, crc);
    },
    digest() {
      const sum = Buffer.alloc(4);
      sum.writeUInt32BE(crc);
      return sum;
    },
  };
}
