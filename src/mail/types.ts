/** Outgoing email and the development inbox (Mailpit's REST format on a separate port). */

export interface OutgoingMail {
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Captured SMS share the inbox, so that developers and tests find all codes in one place. */
export interface OutgoingSms {
  readonly to: string;
  readonly body: string;
  readonly channel: 'sms' | 'whatsapp';
}

export interface Mailer {
  /** Resolves when the message is stored (captured) or accepted by the SMTP server. Throws otherwise. */
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
  /** The creation time in ISO 8601. */
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
  /** Without ids, deletes all messages. */
  remove(ids?: readonly string[]): Promise<void>;
}
