/**
 * Defines the errors of the TUS protocol. Error responses are plain text, and their HTTP status is the error's own
 * status instead of 400 as in the storage API. The wording of the errors is that of @tus/server 2, which upstream uses.
 * Responses to storage errors use the same format, with the status and message from the storage error table.
 */

export const tusErrors = {
  VersionRequired: { status: 412, body: 'Tus-Resumable Required\n' },
  MethodUnknown: { status: 404, body: 'Not found\n' },
  UploadNotFound: { status: 404, body: 'The file for this url was not found\n' },
  UploadExpired: { status: 410, body: 'The file for this url no longer exists\n' },
  OffsetRequired: { status: 403, body: 'Upload-Offset header required\n' },
  OffsetConflict: { status: 409, body: 'Upload-Offset conflict\n' },
  ContentTypeRequired: { status: 403, body: 'Content-Type header required\n' },
  LengthRequired: { status: 400, body: 'Upload-Length or Upload-Defer-Length header required\n' },
  SizeExceeded: { status: 413, body: "upload's size exceeded\n" },
  MaxSizeExceeded: { status: 413, body: 'Maximum size exceeded\n' },
  AlreadyComplete: { status: 400, body: 'Cannot terminate an already completed upload' },
  /** A newer request has taken over the upload. */
  TakenOver: { status: 400, body: 'Request aborted due to lock acquired' },
  Locked: { status: 423, body: 'The upload is being written by another request\n' },
  ConcatenationUnsupported: {
    status: 501,
    body: 'Concatenation extension is not (yet) supported. Disable parallel uploads in the tus client.\n',
  },
  MetadataRequired: { status: 400, body: 'Upload-Metadata must contain bucketName and objectName\n' },
} as const satisfies Record<string, { readonly status: number; readonly body: string }>;

export class TusError extends Error {
  readonly status: number;

  constructor(entry: keyof typeof tusErrors) {
    super(tusErrors[entry].body);
    this.name = 'TusError';
    this.status = tusErrors[entry].status;
  }
}

/** Thrown if a header has an invalid value. */
export class TusHeaderError extends Error {
  readonly status = 400;

  constructor(header: string) {
    super(`Invalid ${header}\n`);
    this.name = 'TusHeaderError';
  }
}
