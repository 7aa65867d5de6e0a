/** The JWS algorithms that a project can sign with (RFC 7518 section 3, RFC 8037), as WebCrypto parameters. */

interface Algorithm {
  /** The required `kty` of a JWK. */
  readonly keyType: 'oct' | 'RSA' | 'EC' | 'OKP';
  /** The required `crv` of a JWK, if the algorithm has one. */
  readonly curve?: string;
  readonly importAs: Parameters<SubtleCrypto['importKey']>[2];
  readonly verifyAs: Parameters<SubtleCrypto['verify']>[0];
}

const hmac = (hash: string): Algorithm => ({
  keyType: 'oct',
  importAs: { name: 'HMAC', hash },
  verifyAs: { name: 'HMAC' },
});
const rsa = (hash: string): Algorithm => ({
  keyType: 'RSA',
  importAs: { name: 'RSASSA-PKCS1-v1_5', hash },
  verifyAs: { name: 'RSASSA-PKCS1-v1_5' },
});
const ecdsa = (curve: string, hash: string): Algorithm => ({
  keyType: 'EC',
  curve,
  importAs: { name: 'ECDSA', namedCurve: curve },
  verifyAs: { name: 'ECDSA', hash },
});

const algorithms: Readonly<Record<string, Algorithm>> = {
  HS256: hmac('SHA-256'),
  HS384: hmac('SHA-384'),
  HS512: hmac('SHA-512'),
  RS256: rsa('SHA-256'),
  RS384: rsa('SHA-384'),
  RS512: rsa('SHA-512'),
  ES256: ecdsa('P-256', 'SHA-256'),
  ES384: ecdsa('P-384', 'SHA-384'),
  // Despite its name, ES512 uses the curve P-521 (RFC 7518, section 3.4).
  ES512: ecdsa('P-521', 'SHA-512'),
  EdDSA: { keyType: 'OKP', curve: 'Ed25519', importAs: { name: 'Ed25519' }, verifyAs: { name: 'Ed25519' } },
};

/** Returns the algorithm with this name. Returns undefined for `none`, a missing name and unknown names. */
export function algorithmNamed(name: unknown): Algorithm | undefined {
  return typeof name === 'string' && Object.hasOwn(algorithms, name) ? algorithms[name] : undefined;
}

export type { Algorithm };
