/**
 * Defines the error table of the storage service and the format of error responses.
 *
 * A body is `{statusCode, error, message, code}`. `statusCode` is a string with the actual status, but the HTTP status
 * of almost all errors is 400 (supabase/storage 1.11.2). `docs/errors.md` documents all entries of this table.
 */

interface Entry {
  /** The actual status, which the body contains. */
  readonly status: number;
  readonly code: string;
  /** The value of the `error` field. Defaults to the code. */
  readonly error?: string;
  readonly message: string;
  /**
   * The HTTP status. The default is 400, or 500 if `status` is 500. Two protocols ignore this field and send `status`:
   * S3 (`s3/errors.ts`) and resumable uploads (`resumable/errors.ts`).
   */
  readonly httpStatus?: number;
}

export const storageErrors = {
  AccessDenied: { status: 403, code: 'AccessDenied', error: 'Unauthorized', message: 'Access denied' },
  RoleRefused: {
    status: 403,
    code: 'AccessDenied',
    error: 'Unauthorized',
    message: 'Access denied: Invalid role',
    httpStatus: 403,
  },
  BackendUnavailable: {
    status: 503,
    code: 'ServiceUnavailable',
    error: 'Service Unavailable',
    message: "The object storage can't be reached. Try again in a moment.",
    httpStatus: 503,
  },
  BucketAlreadyExists: {
    status: 409,
    code: 'BucketAlreadyExists',
    error: 'Duplicate',
    message: 'The resource already exists',
  },
  BucketNotEmpty: {
    status: 409,
    code: 'ResourceNotEmpty',
    message: 'The bucket you tried to delete is not empty',
  },
  BucketTooFull: {
    status: 409,
    code: 'InvalidRequest',
    message: 'Unable to empty the bucket because it contains too many objects',
  },
  DatabaseError: { status: 500, code: 'DatabaseError', message: 'The database reported an error' },
  DatabaseInvalidObjectDefinition: {
    status: 503,
    code: 'DatabaseInvalidObjectDefinition',
    message: 'The database schema is invalid or incompatible.',
  },
  DatabaseReadOnly: {
    status: 503,
    code: 'DatabaseReadOnly',
    message: 'The database is currently in read-only mode. Please try again later.',
  },
  DatabaseSchemaMismatch: {
    status: 503,
    code: 'DatabaseSchemaMismatch',
    message: 'The database schema is out of sync. Please run migrations or contact support.',
  },
  DatabaseTimeout: {
    status: 544,
    code: 'DatabaseTimeout',
    message: 'The connection to the database timed out',
    httpStatus: 544,
  },
  DatabaseUnavailable: {
    status: 500,
    code: 'DatabaseError',
    message: "The database can't be reached. Try again in a moment",
  },
  EntityTooLarge: {
    status: 413,
    code: 'EntityTooLarge',
    error: 'Payload too large',
    message: 'The object exceeded the maximum allowed size',
  },
  ExpiredToken: { status: 400, code: 'ExpiredToken', message: 'The provided token has expired.' },
  FeatureNotEnabled: {
    status: 409,
    code: 'FeatureNotEnabled',
    message: 'The feature is not enabled for this resource',
  },
  TenantFeatureNotEnabled: {
    status: 403,
    code: 'FeatureNotEnabled',
    message: 'feature not enabled for this tenant',
    httpStatus: 403,
  },
  ImageBusy: { status: 429, code: 'SlowDown', message: 'Too many requests', httpStatus: 429 },
  ImageTimeout: { status: 408, code: 'InvalidRequest', message: 'Image request timed out' },
  ImageTooLarge: {
    status: 400,
    code: 'InvalidRequest',
    message: 'The source image file is too large to process',
  },
  ImageTooManyPixels: {
    status: 400,
    code: 'InvalidRequest',
    message: 'The source image resolution is too large to process',
  },
  ImageUnavailable: {
    status: 503,
    code: 'ServiceUnavailable',
    error: 'Service Unavailable',
    message: "Images can't be transformed because sharp can't be loaded. For the reason, see the log.",
    httpStatus: 503,
  },
  ImageUnsupported: {
    status: 400,
    code: 'InvalidRequest',
    message: 'The source image is invalid or unsupported for rendering',
  },
  InsufficientSpace: {
    status: 507,
    code: 'InternalError',
    error: 'Insufficient Storage',
    message: 'There is not enough disk space for this object',
    httpStatus: 507,
  },
  InternalError: { status: 500, code: 'InternalError', error: 'Internal', message: 'Internal Server Error' },
  InvalidBucketName: {
    status: 400,
    code: 'InvalidBucketName',
    error: 'Invalid Input',
    message: 'Bucket name invalid',
  },
  InvalidFileSizeLimit: {
    status: 400,
    code: 'InvalidRequest',
    message: 'Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B',
  },
  InvalidJWT: { status: 400, code: 'InvalidJWT', message: 'Invalid JWT' },
  InvalidKey: { status: 400, code: 'InvalidKey', message: 'Invalid key' },
  InvalidMimeType: {
    status: 415,
    code: 'InvalidMimeType',
    error: 'invalid_mime_type',
    message: 'Invalid Content-Type header',
  },
  InvalidParameter: { status: 400, code: 'InvalidParameter', message: 'Invalid Parameter' },
  InvalidRange: {
    status: 416,
    code: 'InvalidRange',
    error: 'invalid_range',
    message: 'invalid range provided',
    httpStatus: 416,
  },
  InvalidRequest: { status: 400, code: 'InvalidRequest', message: 'Invalid Request' },
  InvalidRobotsTag: {
    status: 400,
    code: 'InvalidRequest',
    error: 'invalid_x_robots_tag',
    message: 'Invalid X-Robots-Tag header',
  },
  InvalidSignature: { status: 400, code: 'InvalidSignature', message: 'Invalid signature' },
  KeyAlreadyExists: {
    status: 409,
    code: 'KeyAlreadyExists',
    error: 'Duplicate',
    message: 'The resource already exists',
  },
  NoContentProvided: { status: 400, code: 'InvalidRequest', message: 'No content provided' },
  NoSuchBucket: { status: 404, code: 'NoSuchBucket', error: 'Bucket not found', message: 'Bucket not found' },
  NoSuchKey: { status: 404, code: 'NoSuchKey', error: 'not_found', message: 'Object not found' },
  RelatedResourceNotFound: {
    status: 404,
    code: 'InvalidRequest',
    message: 'The related resource does not exist',
  },
  RequestAborted: {
    status: 400,
    code: 'InvalidRequest',
    message: 'The connection closed before the request was complete',
  },
  ResourceAlreadyExists: {
    status: 409,
    code: 'ResourceAlreadyExists',
    error: 'Duplicate',
    message: 'The resource already exists',
  },
  ResourceLocked: { status: 423, code: 'ResourceLocked', message: 'The resource is locked' },
  ResourceReferenced: {
    status: 409,
    code: 'ResourceReferenced',
    message: 'The resource could not be updated or removed due to a foreign key constraint',
  },
  SlowDown: {
    status: 429,
    code: 'SlowDown',
    error: 'too_many_connections',
    message: 'Too many connections issued to the database',
    httpStatus: 429,
  },
  TooManyWaiting: {
    status: 503,
    code: 'SlowDown',
    error: 'too_many_connections',
    message: 'Too many requests are waiting for a database connection',
    httpStatus: 503,
  },
  Overloaded: {
    status: 503,
    code: 'SlowDown',
    message: 'The server is receiving too many requests. Try again in a moment.',
    httpStatus: 503,
  },
  UserMetadataTooLarge: {
    status: 413,
    code: 'EntityTooLarge',
    error: 'Payload too large',
    message: 'The user_metadata exceeded the maximum allowed size',
  },
} as const satisfies Record<string, Entry>;

export type StorageErrorName = keyof typeof storageErrors;

/**
 * A request that the service itself rejects, in the REST or the S3 protocol. If a lower layer failed, `cause` is the
 * error from that layer.
 */
export abstract class Rejection extends Error {}

/**
 * An error from the table. `message` can be more specific than the entry's message. The name of the entry never
 * changes.
 */
export class StorageError extends Rejection {
  readonly entry: StorageErrorName;

  constructor(entry: StorageErrorName, message?: string, options?: ErrorOptions) {
    super(message ?? storageErrors[entry].message, options);
    this.name = 'StorageError';
    this.entry = entry;
  }
}

export interface ErrorBody {
  readonly statusCode: string;
  readonly error: string;
  readonly message: string;
  readonly code: string;
}

/** Returns the HTTP status and body of an error. */
export function renderStorageError(error: StorageError): {
  readonly status: number;
  readonly body: ErrorBody;
} {
  const entry: Entry = storageErrors[error.entry];
  return {
    status: entry.httpStatus ?? (entry.status === 500 ? 500 : 400),
    body: {
      statusCode: String(entry.status),
      error: entry.error ?? entry.code,
      message: error.message,
      code: entry.code,
    },
  };
}

/**
 * Converts the error that Fastify throws for an invalid Content-Type header. Fastify throws the error before the
 * route's handler runs.
 */
export function nameUnreadableType(error: unknown): unknown {
  return (error as { code?: string }).code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE'
    ? new StorageError('InvalidMimeType', undefined, { cause: error })
    : error;
}

export function unknownRoute(method: string, path: string): ErrorBody {
  return {
    statusCode: '404',
    error: 'Not Found',
    message: `Route ${method}:${path} not found`,
    code: 'InvalidRequest',
  };
}

/** Thrown if the server that stores the objects can't be reached or doesn't accept requests. */
export class BackendUnavailableError extends StorageError {
  readonly retryAfterSeconds = 5;

  constructor(cause: unknown) {
    super('BackendUnavailable', undefined, { cause });
  }
}

/** Thrown if a row refers to a version whose bytes don't exist. */
export class BytesMissingError extends StorageError {
  constructor() {
    super('NoSuchKey');
  }
}
