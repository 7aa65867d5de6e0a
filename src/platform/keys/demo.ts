/**
 * Defines the local stack's well-known keys. The keys are public, so they are used only in development and on loopback.
 * `plinth serve` generates new keys and rejects the well-known keys.
 */
export const demo = {
  jwtSecret: 'super-secret-jwt-token-with-at-least-32-characters-long',
  /**
   * The expiry (Unix seconds) of the demo anon and service_role keys. The expiry is fixed so that the keys are the same
   * everywhere.
   */
  keyExpiresAt: 1983812996,
  keyIssuer: 'supabase-demo',
  publishableKey: 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH',
  secretKey: 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz',
  s3: {
    accessKeyId: '625729a08b95bf1b7ff351a663f3a23c',
    secretAccessKey: '850181e4652dd023b7a98c58ae0d2d34bd487ee0cc3254aed6eda37307425907',
    region: 'local',
  },
  signingKey: {
    kty: 'EC',
    kid: 'b81269f1-21d8-4f2e-b719-c2240a840d90',
    use: 'sig',
    key_ops: ['sign', 'verify'],
    alg: 'ES256',
    ext: true,
    crv: 'P-256',
    x: 'M5Sjqn5zwC9Kl1zVfUUGvv9boQjCGd45G8sdopBExB4',
    y: 'P6IXMvA2WYXSHSOMTBH2jsw_9rrzGy89FjPf6oOsIxQ',
    d: 'dIhR8wywJlqlua4y_yMq2SLhlFXDZJBCvFrY1DCHyVU',
  },
} as const;

/**
 * Public JWT secrets. The well-known secrets are the local stack's secret and the placeholder from the self-hosted
 * stack's documentation, which also publishes admin tokens signed with this placeholder.
 */
export const publicJwtSecrets: readonly string[] = [
  demo.jwtSecret,
  'your-super-secret-jwt-token-with-at-least-32-characters-long',
];
