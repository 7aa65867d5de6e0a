/**
 * A software authenticator (WebAuthn level 3) in which every part of a response can be forged. Keys and signatures come
 * from node:crypto. The required subset of CBOR (RFC 8949) is implemented here.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** The COSE number of each algorithm, and the options with which node:crypto generates its keys. */
const algorithms = {
  ES256: { alg: -7, hash: 'sha256', make: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }) },
  ES384: { alg: -35, hash: 'sha384', make: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }) },
  ES512: { alg: -36, hash: 'sha512', make: () => generateKeyPairSync('ec', { namedCurve: 'P-521' }) },
  RS256: { alg: -257, hash: 'sha256', make: () => generateKeyPairSync('rsa', { modulusLength: 2048 }) },
  EdDSA: { alg: -8, hash: null, make: () => generateKeyPairSync('ed25519') },
} as const;

export type KeyAlgorithm = keyof typeof algorithms;

/** The parts of a response that an attacker can change. */
export interface Forgery {
  readonly type?: string;
  readonly challenge?: string;
  readonly origin?: string;
  readonly crossOrigin?: boolean;
  readonly topOrigin?: string;
  readonly rpId?: string;
  /** The raw bytes of the user handle. Null omits it. */
  readonly userHandle?: Uint8Array | null;
  readonly credentialId?: Uint8Array;
  readonly signCount?: number;
  readonly userPresent?: boolean;
  readonly userVerified?: boolean;
  readonly backupEligible?: boolean;
  readonly backedUp?: boolean;
  /** Changes the signature after signing. */
  readonly tamper?: (signature: Buffer) => Buffer;
}

export interface CreationOptions {
  readonly rp: { readonly id?: string };
  readonly user: { readonly id: string };
  readonly challenge: string;
}

export interface RequestOptions {
  readonly rpId?: string;
  readonly challenge: string;
}

export class SoftwareAuthenticator {
  readonly credentialId: Buffer = randomBytes(32);
  readonly origin: string;
  readonly aaguid: Buffer;
  /** The counter, which increases on each use. If the authenticator doesn't have a counter, the value stays 0. */
  signCount = 0;
  readonly #counts: boolean;
  readonly #backupEligible: boolean;
  readonly #algorithm: KeyAlgorithm;
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  #userHandle: Buffer | undefined;

  constructor(
    origin: string,
    options: {
      readonly algorithm?: KeyAlgorithm;
      readonly counts?: boolean;
      readonly backupEligible?: boolean;
      /** The authenticator's model as a UUID. */
      readonly aaguid?: string;
    } = {},
  ) {
    this.origin = origin;
    this.aaguid = Buffer.from((options.aaguid ?? '').replaceAll('-', '').padEnd(32, '0'), 'hex');
    this.#algorithm = options.algorithm ?? 'ES256';
    this.#counts = options.counts ?? true;
    this.#backupEligible = options.backupEligible ?? false;
    const pair = algorithms[this.#algorithm].make();
    this.#privateKey = pair.privateKey;
    this.#publicKey = pair.publicKey;
  }

  /** Returns the result of navigator.credentials.create() as JSON. */
  create(options: CreationOptions, forgery: Forgery = {}) {
    this.#userHandle = Buffer.from(options.user.id, 'base64url');
    const id = Buffer.from(forgery.credentialId ?? this.credentialId);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const key = Buffer.concat([this.aaguid, length, id, cbor(this.#coseKey())]);
    const authData = Buffer.concat([this.#header(options.rp.id, forgery, true), key]);
    const clientData = this.#clientData('webauthn.create', options.challenge, forgery);
    const attestationObject = cbor(
      new Map<Cbor, Cbor>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]),
    );
    return {
      id: id.toString('base64url'),
      rawId: id.toString('base64url'),
      type: 'public-key' as const,
      authenticatorAttachment: 'platform' as const,
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData.toString('base64url'),
        attestationObject: attestationObject.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        publicKeyAlgorithm: algorithms[this.#algorithm].alg,
        transports: ['internal', 'hybrid'],
      },
    };
  }

  /** Returns the result of navigator.credentials.get() as JSON. */
  get(options: RequestOptions, forgery: Forgery = {}) {
    if (this.#counts) this.signCount += 1;
    const id = Buffer.from(forgery.credentialId ?? this.credentialId);
    const authenticatorData = this.#header(options.rpId, forgery, false);
    const clientData = this.#clientData('webauthn.get', options.challenge, forgery);
    const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientData).digest()]);
    const { hash } = algorithms[this.#algorithm];
    const signature = sign(hash, signed, this.#privateKey);
    const handle = forgery.userHandle === undefined ? this.#userHandle : forgery.userHandle;
    return {
      id: id.toString('base64url'),
      rawId: id.toString('base64url'),
      type: 'public-key' as const,
      authenticatorAttachment: 'platform' as const,
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authenticatorData.toString('base64url'),
        signature: (forgery.tamper?.(signature) ?? signature).toString('base64url'),
        ...(handle ? { userHandle: Buffer.from(handle).toString('base64url') } : {}),
      },
    };
  }

  /** Returns the authenticator data up to and including the counter (level 3, section 6.1). */
  #header(rpId: string | undefined, forgery: Forgery, holdsKey: boolean): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(forgery.signCount ?? this.signCount);
    const backupEligible = forgery.backupEligible ?? this.#backupEligible;
    const flags =
      (forgery.userPresent === false ? 0 : 0x01) |
      (forgery.userVerified === false ? 0 : 0x04) |
      (backupEligible ? 0x08 : 0) |
      ((forgery.backedUp ?? false) ? 0x10 : 0) |
      (holdsKey ? 0x40 : 0);
    const party = createHash('sha256')
      .update(forgery.rpId ?? rpId ?? '')
      .digest();
    return Buffer.concat([party, Buffer.from([flags]), count]);
  }

  #clientData(type: string, challenge: string, forgery: Forgery): Buffer {
    const data = {
      type: forgery.type ?? type,
      challenge: forgery.challenge ?? challenge,
      origin: forgery.origin ?? this.origin,
      crossOrigin: forgery.crossOrigin ?? false,
      ...(forgery.topOrigin === undefined ? {} : { topOrigin: forgery.topOrigin }),
    };
    return Buffer.from(JSON.stringify(data));
  }

  /** Returns the key as a COSE_Key (RFC 9053). */
  #coseKey(): Map<Cbor, Cbor> {
    const jwk = this.#publicKey.export({ format: 'jwk' });
    const { alg } = algorithms[this.#algorithm];
    const bytes = (text: string | undefined) => Buffer.from(text ?? '', 'base64url');
    if (jwk.kty === 'RSA') {
      return new Map<Cbor, Cbor>([
        [1, 3],
        [3, alg],
        [-1, bytes(jwk.n)],
        [-2, bytes(jwk.e)],
      ]);
    }
    if (jwk.kty === 'OKP') {
      return new Map<Cbor, Cbor>([
        [1, 1],
        [3, alg],
        [-1, 6],
        [-2, bytes(jwk.x)],
      ]);
    }
    const curve = { 'P-256': 1, 'P-384': 2, 'P-521': 3 }[jwk.crv ?? ''] ?? 0;
    return new Map<Cbor, Cbor>([
      [1, 2],
      [3, alg],
      [-1, curve],
      [-2, bytes(jwk.x)],
      [-3, bytes(jwk.y)],
    ]);
  }
}

type Cbor = number | string | Uint8Array | Map<Cbor, Cbor>;

function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([head(3, text.length), text]);
  }
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  return Buffer.concat([
    head(5, value.size),
    ...[...value].flatMap(([key, item]) => [cbor(key), cbor(item)]),
  ]);
}

function head(major: number, argument: number): Buffer {
  const top = major << 5;
  if (argument < 24) return Buffer.from([top | argument]);
  if (argument < 0x100) return Buffer.from([top | 24, argument]);
  return Buffer.from([top | 25, argument >> 8, argument & 0xff]);
}
