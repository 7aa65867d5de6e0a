/** Defines outgoing email and the development inbox, which is served in Mailpit's REST format on a separate port. */

export interface OutgoingMail {
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** The sender's name that is used if the project's settings don't contain one. */
  readonly fromName?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A text message. Captured SMS messages are also stored in the inbox, so that developers and tests find all codes in
 * one place.
 */
export interface OutgoingSms {
  readonly to: string;
  readonly body: string;
  readonly channel: 'sms' | 'whatsapp';
}

export interface Mailer {
  /**
   * Sends an email. Resolves when the message has been captured in the inbox or accepted by the SMTP server. Rejects if
   * sending fails.
   */
  sendMail(mail: OutgoingMail): Promise<void>;
  captureSms(sms: OutgoingSms): Promise<void>;
}

export interface CapturedMessage {
  readonly id: string;
  readonly kind: 'mail' | 'sms';
  readonly from: { readonly name: string; readonly address: string };
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** When the message was created, in ISO 8601. */
  readonly createdAt: string;
  readonly read: boolean;
}

/** The data source of the Console's inbox page. */
export interface Inbox {
  list(options: { readonly limit: number; readonly offset: number; readonly search?: string }): Promise<{
    readonly total: number;
    readonly messages: readonly CapturedMessage[];
  }>;
  get(id: string): Promise<CapturedMessage | undefined>;
  markRead(id: string): Promise<void>;
  /** Deletes the messages with these IDs. If `ids` is undefined, deletes all messages. */
  remove(ids?: readonly string[]): Promise<void>;
}
