/**
 * Generates the self-signed certificate with which identity providers receive this server's public key. The certificate
 * is byte-for-byte identical to the certificate that GoTrue 2.196 generates from the same key and host, so the SSO
 * connections of migrated projects continue to work.
 *
 * The format is X.509 v3 (RFC 5280) in DER (X.690). Equal keys produce equal bytes, because the signature algorithm
 * (RSASSA-PKCS1-v1_5 with SHA-256) is deterministic.
 */
import { createPublicKey, type KeyObject, sign } from 'node:crypto';

/** Returns the certificate in DER. `host` is the host in the auth service's URL, without a port. */
export function certificateOf(key: KeyObject, host: string, mayEncrypt: boolean): Buffer {
  const algorithm = sequence(objectId('2a864886f70d01010b'), tlv(0x05));
  const name = sequence(tlv(0x31, sequence(objectId('550403'), textOf(`SAML 2.0 Certificate for ${host}`))));
  const validity = sequence(tlv(0x17, '700101000000Z'), tlv(0x18, '21700101000000Z'));
  const keyUsage = mayEncrypt ? [0x04, 0x90] : [0x07, 0x80];
  const alternativeName = sequence(tlv(0x82, `_samlsp.${host}`));
  const extensions = sequence(
    sequence(objectId('551d0f'), tlv(0x01, [0xff]), tlv(0x04, tlv(0x03, keyUsage))),
    sequence(objectId('551d11'), tlv(0x04, alternativeName)),
  );
  const toBeSigned = sequence(
    tlv(0xa0, tlv(0x02, [2])),
    tlv(0x02, [0]),
    algorithm,
    name,
    validity,
    name,
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    tlv(0xa3, extensions),
  );
  return sequence(toBeSigned, algorithm, tlv(0x03, [0], sign('sha256', toBeSigned, key)));
}

type Bytes = string | readonly number[] | Buffer;

/** Encodes a value in DER: the tag, the value's length, and the value. */
function tlv(tag: number, ...values: readonly Bytes[]): Buffer {
  const value = Buffer.concat(values.map((part) => Buffer.from(part as string)));
  const { length } = value;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), value]);
  const bytes = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...bytes]), value]);
}

const sequence = (...values: readonly Bytes[]): Buffer => tlv(0x30, ...values);

/**
 * Encodes an object identifier. `2a864886f70d01010b` is sha256WithRSAEncryption, `550403` is the common name, and
 * `551d0f` and `551d11` are the two extensions.
 */
const objectId = (hex: string): Buffer => tlv(0x06, Buffer.from(hex, 'hex'));

/**
 * Encodes text as Go does: as a PrintableString if the text contains only characters allowed in one, and otherwise as a
 * UTF8String.
 */
const textOf = (text: string): Buffer => tlv(/^[A-Za-z0-9 '()+,\-./:=?]*$/.test(text) ? 0x13 : 0x0c, text);
