/** Describes S3 errors so that operators know how to fix them. */
import { BackupError } from '../errors.ts';

const causes: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: "The S3 server doesn't recognize the access key ID.",
  SignatureDoesNotMatch: 'The S3 server rejects the secret access key.',
  AccessDenied: "The credentials don't allow this access to the bucket.",
  Forbidden: "The credentials don't allow this access to the bucket.",
  ExpiredToken: 'The S3 session token has expired.',
  InvalidToken: 'The S3 session token is invalid.',
  RequestTimeTooSkewed: "The clock of this machine differs too much from the S3 server's clock.",
  RequestExpired: "The clock of this machine differs too much from the S3 server's clock.",
  NoSuchBucket: "The bucket doesn't exist.",
  PermanentRedirect: "The bucket is in a different region. Set region= in the URL to the bucket's region.",
  AuthorizationHeaderMalformed:
    "The bucket is in a different region. Set region= in the URL to the bucket's region.",
  CredentialsProviderError: 'No S3 credentials are configured.',
  ENOTFOUND: "The host of the S3 server can't be found.",
  EAI_AGAIN: "The host of the S3 server can't be found at the moment.",
  ECONNREFUSED: 'The S3 server refuses connections.',
  ECONNRESET: 'The S3 server closed the connection.',
  TimeoutError: "The S3 server doesn't respond.",
  SlowDown: 'The S3 server rejects requests because there are too many of them.',
};

/** Returns a BackupError for a known S3 error. Returns all other errors unchanged. */
export function s3Error(error: unknown, label: string): unknown {
  if (!(error instanceof Error) || error instanceof BackupError) return error;
  const { code, Code } = error as Error & { code?: string; Code?: string };
  const names = [error.name, Code, code].filter((name) => name !== undefined);
  const sentence = names.map((name) => causes[name]).find((cause) => cause !== undefined);
  return sentence === undefined ? error : new BackupError('s3_failed', `(${label}) ${sentence}`, error);
}
