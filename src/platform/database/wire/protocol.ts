/** The constants of PostgreSQL's frontend/backend protocol, version 3.0 (PostgreSQL 18 documentation, chapter 54). */

export const PROTOCOL_VERSION = 196_608;
export const SSL_REQUEST = 80_877_103;
export const CANCEL_REQUEST = 80_877_102;

/** The byte that identifies each type of message from the server. */
export const Backend = {
  Authentication: 0x52,
  BackendKeyData: 0x4b,
  BindComplete: 0x32,
  CloseComplete: 0x33,
  CommandComplete: 0x43,
  CopyBothResponse: 0x57,
  CopyData: 0x64,
  CopyDone: 0x63,
  CopyInResponse: 0x47,
  CopyOutResponse: 0x48,
  DataRow: 0x44,
  EmptyQueryResponse: 0x49,
  ErrorResponse: 0x45,
  NegotiateProtocolVersion: 0x76,
  NoData: 0x6e,
  NoticeResponse: 0x4e,
  NotificationResponse: 0x41,
  ParameterDescription: 0x74,
  ParameterStatus: 0x53,
  ParseComplete: 0x31,
  PortalSuspended: 0x73,
  ReadyForQuery: 0x5a,
  RowDescription: 0x54,
} as const;

/** The byte that identifies each type of message to the server. */
export const Frontend = {
  Bind: 0x42,
  Close: 0x43,
  CopyData: 0x64,
  CopyDone: 0x63,
  CopyFail: 0x66,
  Describe: 0x44,
  Execute: 0x45,
  Parse: 0x50,
  Password: 0x70,
  Query: 0x51,
  Sync: 0x53,
  Terminate: 0x58,
} as const;

/** The status byte in ReadyForQuery. */
export const Status = { Idle: 0x49, InTransaction: 0x54, Failed: 0x45 } as const;

/** The subcodes of Authentication messages. */
export const Authentication = {
  Ok: 0,
  CleartextPassword: 3,
  Md5Password: 5,
  Sasl: 10,
  SaslContinue: 11,
  SaslFinal: 12,
} as const;
