/**
 * Defines the errors of the S3 protocol and maps storage errors to them. Unlike in the storage API, the HTTP status is
 * the error's own status. A body is `<Error><Resource/><Code/><Message/><RequestId/></Error>`. If the S3 API reference
 * defines a code for an error, the response contains that code.
 */
import { isOutOfFiles } from '../../../base/shared/errors.ts';
import { Rejection, StorageError, type StorageErrorName, storageErrors } from '../errors.ts';
import { writeErrorXml } from './core/xml.ts';

interface Entry {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export const s3Errors = {
  AuthorizationHeaderMalformed: {
    status: 400,
    code: 'AuthorizationHeaderMalformed',
    message: 'The authorization header that you provided is not valid.',
  },
  AuthorizationQueryParametersError: {
    status: 400,
    code: 'AuthorizationQueryParametersError',
    message: 'The query parameters of the signature are not valid.',
  },
  BadDigest: {
    status: 400,
    code: 'BadDigest',
    message: 'The checksum that you sent does not match what we received.',
  },
  ContentSha256Mismatch: {
    status: 400,
    code: 'XAmzContentSHA256Mismatch',
    message: "The provided 'x-amz-content-sha256' header does not match what was computed.",
  },
  EntityTooSmall: {
    status: 400,
    code: 'EntityTooSmall',
    message: 'The upload is smaller than the policy allows.',
  },
  HeadersNotSigned: {
    status: 403,
    code: 'AccessDenied',
    message: 'There were headers present in the request which were not signed',
  },
  IncompleteBody: {
    status: 400,
    code: 'IncompleteBody',
    message: 'The length of the body does not match the declared length.',
  },
  InvalidArgument: { status: 400, code: 'InvalidArgument', message: 'Invalid Argument' },
  InvalidDigest: { status: 400, code: 'InvalidDigest', message: 'The checksum that you sent is not valid.' },
  InvalidPart: {
    status: 400,
    code: 'InvalidPart',
    message: 'A part was not found, or its ETag does not match.',
  },
  InvalidPartOrder: {
    status: 400,
    code: 'InvalidPartOrder',
    message: 'The list of parts was not in ascending order.',
  },
  InvalidPolicyDocument: {
    status: 400,
    code: 'InvalidPolicyDocument',
    message: 'The form policy is not valid.',
  },
  InvalidRequest: { status: 400, code: 'InvalidRequest', message: 'The request is not valid.' },
  InvalidURI: { status: 400, code: 'InvalidURI', message: 'The URI is not valid.' },
  MalformedTrailer: {
    status: 400,
    code: 'MalformedTrailerError',
    message: 'The trailer of the body does not match the x-amz-trailer header.',
  },
  MalformedXML: {
    status: 400,
    code: 'MalformedXML',
    message: 'The XML that you provided was not well formed or did not match the expected schema.',
  },
  MethodNotAllowed: {
    status: 405,
    code: 'MethodNotAllowed',
    message: 'The specified method is not allowed against this resource.',
  },
  MissingContentLength: {
    status: 411,
    code: 'MissingContentLength',
    message: 'You must provide the Content-Length HTTP header.',
  },
  MissingSignature: { status: 403, code: 'AccessDenied', message: 'Missing signature' },
  NoSuchUpload: { status: 404, code: 'NoSuchUpload', message: 'Upload not found' },
  NotImplemented: {
    status: 501,
    code: 'NotImplemented',
    message: 'The requested operation is not supported.',
  },
  PolicyViolated: { status: 403, code: 'AccessDenied', message: 'The form does not satisfy its policy.' },
  PreconditionFailed: {
    status: 412,
    code: 'PreconditionFailed',
    message: 'At least one of the preconditions that you specified did not hold.',
  },
  RequestExpired: { status: 403, code: 'AccessDenied', message: 'Request has expired' },
  RequestTimeTooSkewed: {
    status: 403,
    code: 'RequestTimeTooSkewed',
    message: "The difference between the request time and the server's time is too large.",
  },
  SecretKeyInBrowser: {
    status: 403,
    code: 'AccessDenied',
    message:
      'Forbidden use of secret API key in browser. To allow it, set browser_secret_keys = true under [server] in plinth.toml.',
  },
  SignatureDoesNotMatch: {
    status: 403,
    code: 'SignatureDoesNotMatch',
    message:
      'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  },
  UnknownAccessKey: { status: 403, code: 'AccessDenied', message: 'Invalid Access Key' },
} as const satisfies Record<string, Entry>;

export type S3ErrorName = keyof typeof s3Errors;

/** An error from the table in this file. */
export class S3Error extends Rejection {
  readonly entry: S3ErrorName;

  constructor(entry: S3ErrorName, message?: string, options?: ErrorOptions) {
    super(message ?? s3Errors[entry].message, options);
    this.name = 'S3Error';
    this.entry = entry;
  }
}

/** The S3 codes that differ from the service's own codes. */
const s3Codes: Partial<Record<StorageErrorName, string>> = {
  BucketNotEmpty: 'BucketNotEmpty',
  InsufficientSpace: 'InsufficientStorage',
};

export interface RenderedError {
  readonly status: number;
  readonly code: string;
  readonly xml: string;
}

/** Renders an error. `resource` is the bucket and key from the request. Unknown errors become InternalError. */
export function renderS3Error(error: unknown, resource: string, requestId: string): RenderedError {
  const { status, code, message } = describe(error);
  const xml = writeErrorXml({ Resource: resource, Code: code, Message: message, RequestId: requestId });
  return { status, code, xml };
}

function describe(error: unknown): Entry {
  if (error instanceof S3Error) {
    const { status, code } = s3Errors[error.entry];
    return { status, code, message: error.message };
  }
  if (error instanceof StorageError) {
    const { status, code } = storageErrors[error.entry];
    return { status, code: s3Codes[error.entry] ?? code, message: error.message };
  }
  return isOutOfFiles(error) ? storageErrors.Overloaded : storageErrors.InternalError;
}
