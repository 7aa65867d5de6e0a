/** Parses domains, and rejects those whose addresses belong to strangers. */
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/** Providers of mailboxes for everyone. An organization can't speak for their users. */
const publicMail: ReadonlySet<string> = new Set(
  `126.com 163.com aim.com aol.com att.net bigpond.com bluewin.ch bol.com.br btinternet.com charter.net comcast.net
  cox.net daum.net disroot.org duck.com earthlink.net email.com fastmail.com fastmail.fm foxmail.com free.fr freenet.de
  gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net googlemail.com hanmail.net hey.com hotmail.co.uk hotmail.com
  hotmail.de hotmail.fr hotmail.it hushmail.com icloud.com inbox.com inbox.lv interia.pl juno.com laposte.net
  libero.it live.co.uk live.com live.fr live.nl mac.com mail.com mail.de mail.ru mailbox.org mailfence.com me.com
  msn.com naver.com netzero.net o2.pl onet.pl optonline.net orange.fr outlook.com outlook.de outlook.fr pm.me
  posteo.de proton.me protonmail.ch protonmail.com qq.com rambler.ru rediffmail.com rocketmail.com sbcglobal.net
  seznam.cz sfr.fr shaw.ca sina.com sky.com sohu.com t-online.de telenet.be terra.com.br tuta.com tuta.io tutanota.com
  uol.com.br verizon.net virgilio.it virginmedia.com wanadoo.fr web.de wp.pl yahoo.ca yahoo.co.in yahoo.co.jp
  yahoo.co.uk yahoo.com yahoo.com.br yahoo.de yahoo.es yahoo.fr yahoo.it yandex.com yandex.ru yeah.net ymail.com
  zoho.com zohomail.com`.split(/\s+/),
);

export type ParsedDomain =
  | { readonly ok: true; readonly domain: string }
  | { readonly ok: false; readonly fault: 'format' | 'public' };

const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
const maxDomainLength = 200;

/** Parses a domain as users type it. Returns it in the form that the DNS uses. */
export function parseDomain(typed: string): ParsedDomain {
  const text = typed.trim().toLowerCase().replace(/^@/, '').replace(/\.$/, '');
  // These characters would end the host of a URL.
  const isHost = text.length <= maxDomainLength && !/[/?#:@\\[\]\s]/.test(text);
  const domain = isHost ? domainToASCII(text) : '';
  const labels = domain.split('.');
  const isDomain =
    labels.length >= 2 &&
    labels.every((each) => label.test(each)) &&
    isIP(domain) === 0 &&
    !/^\d+$/.test(labels.at(-1) ?? '');
  if (!isDomain) return { ok: false, fault: 'format' };
  return publicMail.has(domain) ? { ok: false, fault: 'public' } : { ok: true, domain };
}
