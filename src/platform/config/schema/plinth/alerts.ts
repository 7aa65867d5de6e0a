/** The settings of alerts about problems. */
import { boolean, duration, list, liveSection, names, oneOf, secret, section, text } from '../define.ts';

export const alerts = liveSection('Alerts about problems. See docs/alerts.md.', {
  after: duration(
    2 * 60_000,
    'How long a problem must last before it is reported, and be gone before its end is reported.',
  ),
  repeat: duration(
    24 * 60 * 60_000,
    'Interval at which an alert is repeated while its problem lasts. With `0s`, alerts are never repeated.',
  ),
  receivers: names(
    'NAME',
    'Receivers of alerts.',
    section('A receiver of alerts.', {
      enabled: boolean(true, 'Sends alerts to the receiver.'),
      kind: oneOf(
        'email',
        ['webhook', 'slack'],
        'How alerts are sent: by email, as requests that are signed as Standard Webhooks, or as messages that Slack, Mattermost and other services with incoming webhooks of this kind show.',
      ),
      to: list([], 'Email addresses.'),
      url: secret(
        'URL that receives the requests. The URL must use HTTPS, unless it refers to this machine during development. With `plinth serve`, it must not be in a private network, unless its host is in `jobs.private_hosts`.',
      ),
      secret: secret(
        'Secret that signs the requests to a webhook, in the form whsec_BASE64 with 24 to 64 random bytes. Separate several secrets with |. If unset, requests aren’t signed.',
      ),
      problems: list(['*'], 'Kinds of problems that are reported, such as `backups`. `*` selects all kinds.'),
      severity: oneOf('error', ['warning'], 'Least severity of the problems that are reported.'),
      quiet_hours: text(
        '',
        'Period such as `22:00-07:00` in which nothing is sent. Problems that last longer are reported afterward.',
      ),
      time_zone: text('UTC', 'Time zone of the quiet hours, such as `Europe/Berlin`.'),
    }),
    { pattern: /^[a-z0-9][a-z0-9_-]{0,62}$/ },
  ),
});
