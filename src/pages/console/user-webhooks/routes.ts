/** Lists the webhooks for events about users and their deliveries, and sends deliveries and tests. */
import type { AuthService, WebhookRefusal } from '../../../services/auth/index.ts';
import type { Audit } from '../audit.ts';
import { may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { shownUrl } from '../jobs/core/webhook.ts';
import { type Api, parseAs } from '../routes/api.ts';

const deliveriesPerPage = 50;

interface UserWebhookDeps {
  readonly webhooks: AuthService['webhooks'];
  readonly audit: Audit;
}

const contract = () => import('./contract.ts');

export function userWebhookRoutes(api: Api, { webhooks, audit }: UserWebhookDeps): void {
  const route = api.feature(contract);
  const idOf = async (params: unknown) => (await parseAs((await contract()).idParam, params)).id;
  const nameOf = async (params: unknown) => (await parseAs((await contract()).nameParam, params)).name;

  route('GET /webhooks', 'read', async ({ operator }) => {
    const administration = await webhooks();
    const maySee = may(operator.role, 'secrets');
    const states = await administration.list();
    return {
      isPossible: administration.isPossible,
      webhooks: states.map(({ url, note, ...state }) => ({
        ...state,
        // A URL can contain a key, and a note can quote an error of another server.
        url: url === null ? null : shownUrl(url, maySee),
        note: maySee ? note : null,
      })),
    };
  });
  route('GET /webhooks/deliveries', 'read', async (call) => {
    const { webhook, failed, before } = await call.query();
    const limit = deliveriesPerPage + 1;
    const rows = await (await webhooks()).deliveries({ endpoint: webhook, failed, before, limit });
    return { deliveries: rows.slice(0, deliveriesPerPage), more: rows.length === limit };
  });
  route('GET /webhooks/deliveries/:id', 'secrets', async ({ request }) => {
    const found = await (await webhooks()).delivery(await idOf(request.params));
    if (found === undefined) throw gone();
    return found;
  });
  route('POST /webhooks/deliveries/:id/send', 'write', async (call) => {
    const id = await idOf(call.request.params);
    const refusal = await (await webhooks()).sendAgain(id);
    if (refusal === 'unknown') throw gone();
    if (refusal !== undefined) throw refused(refusal);
    await audit(call, 'webhook.send', id);
  });
  route('POST /webhooks/:name/test', 'write', async (call) => {
    const name = await nameOf(call.request.params);
    const result = await (await webhooks()).sendTest(name);
    if (typeof result === 'string') throw refused(result);
    await audit(call, 'webhook.test', name);
    return result;
  });
  route('POST /webhooks/:name/enable', 'write', async (call) => {
    const name = await nameOf(call.request.params);
    if (!(await (await webhooks()).enable(name))) throw refused('unknown');
    await audit(call, 'webhook.enable', name);
  });
}

const gone = () => new ConsoleError('not_found', { message: "This delivery doesn't exist." });

const refusals: Readonly<Record<WebhookRefusal, string>> = {
  unknown: "This webhook isn't in the settings.",
  off: 'This webhook is turned off in the settings.',
  disabled: 'This webhook is disabled because its requests failed. Enable it first.',
};

const refused = (refusal: WebhookRefusal) =>
  new ConsoleError(refusal === 'unknown' ? 'not_found' : 'refused', { message: refusals[refusal] });
