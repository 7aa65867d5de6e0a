/** Lists the alerts and their receivers, and sends tests. */
import type { Audit } from '../audit.ts';
import { may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, parseAs } from '../routes/api.ts';
import type { Alerts } from './alerts.ts';

interface AlertRoutesDeps {
  readonly alerts: Pick<Alerts, 'check' | 'list' | 'test'>;
  readonly audit: Audit;
}

const contract = () => import('./contract.ts');

export function alertRoutes(api: Api, { alerts, audit }: AlertRoutesDeps): void {
  const route = api.feature(contract);

  route('GET /alerts', 'read', async ({ operator }) => {
    const { alerts: rows, receivers } = await alerts.list();
    // An error can quote another server.
    const maySee = may(operator.role, 'secrets');
    return {
      alerts: rows,
      receivers: receivers.map((each) => ({
        ...each,
        error: each.error === null || maySee ? each.error : 'The last message was not sent.',
      })),
    };
  });
  route('POST /alerts/check', 'write', async (call) => {
    await alerts.check();
    await audit(call, 'alerts.check', '');
  });
  route('POST /alerts/receivers/:name/test', 'write', async (call) => {
    const { name } = await parseAs((await contract()).nameParam, call.request.params);
    const error = await alerts.test(name);
    if (error === undefined)
      throw new ConsoleError('not_found', {
        message: 'This receiver isn’t in the settings, or it is turned off.',
      });
    await audit(call, 'alerts.test', name);
    return { error };
  });
}
