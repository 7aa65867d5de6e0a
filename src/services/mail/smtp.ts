/** Sends email through the project's SMTP server. */
import type { Transporter } from 'nodemailer';
import type { Config } from '../../platform/config/index.ts';
import type { OutgoingMail } from './types.ts';

export interface Smtp {
  send(mail: OutgoingMail): Promise<void>;
  close(): void;
}

type SmtpConfig = Config['auth']['email']['smtp'];

/**
 * Ports on which the connection starts with TLS. Port 465 is defined in RFC 8314 section 3.3. Large providers also
 * offer 2465 for networks that block 465. On other ports, STARTTLS is used if the server offers it.
 */
const implicitTlsPorts: readonly number[] = [465, 2465];
const defaultPort = 587;
const timeoutMs = 10_000;

export function createSmtp(config: SmtpConfig): Smtp {
  let transport: Promise<Transporter> | undefined;

  async function connect(): Promise<Transporter> {
    const { createTransport } = await import('nodemailer');
    return createTransport({
      ...smtpOptions(config),
      pool: true,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
    });
  }

  return {
    async send(mail) {
      transport ??= connect();
      await (await transport).sendMail({
        from: { name: config.sender_name ?? mail.fromName ?? '', address: config.admin_email ?? '' },
        to: { name: '', address: mail.to },
        subject: mail.subject,
        html: mail.html,
        text: mail.text,
        ...(mail.headers ? { headers: { ...mail.headers } } : {}),
      });
    },
    close() {
      transport?.then((open) => open.close()).catch(() => undefined);
    },
  };
}

/**
 * Returns the connection options. A password is sent only over TLS or to a server on this machine, and never
 * unencrypted over a network.
 */
export function smtpOptions(config: SmtpConfig) {
  const { host = '', port = defaultPort, user = '', pass = '' } = config;
  const isLocal = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/.test(host);
  return {
    host,
    port,
    secure: implicitTlsPorts.includes(port),
    requireTLS: user !== '' && !isLocal,
    ...(user === '' ? {} : { auth: { user, pass } }),
  };
}
