/** Returns the events of a webhook as a list in words. */
import type { Webhook } from '../api.ts';
import { t } from '../text.ts';

export const eventsText = (events: Webhook['events']): string =>
  new Intl.ListFormat('en').format(events.map((event) => t(`hooks.${event}`)));
