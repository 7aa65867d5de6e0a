/** Flows for the user's API keys on the security page. */
import { equal, match } from 'node:assert/strict';
import { password } from '../../harness.ts';
import type { Flow } from '../scene.ts';
import { say } from '../texts.ts';
import { until } from '../until.ts';

const name = 'Backup <b>script</b>';
const route = '**/auth/v1/user/api-keys';

const created: Flow = {
  name: 'an API key is created, copied, used and revoked',
  async play({ context, page, world, walker, ...scene }) {
    await scene.startsSession();
    await scene.open('security');
    await scene.sees(say('api-key.none'));
    await walker.press(say('api-key.create'));
    await walker.reaches(say('api-key.name'));
    await walker.enter();
    await scene.sees(say('api-key.name-missing'));
    await walker.fill(say('api-key.name'), name);
    await walker.tabTo(say('api-key.lifetime'));
    await page.keyboard.press('ArrowUp');
    await walker.tabTo('notes:read');
    await page.keyboard.press('Space');
    await scene.state('security, API key to be created');

    // The sign-in has become too old in the meantime. The form stays as it is.
    await context.clock.setFixedTime(Date.now() + 20 * 60_000);
    await walker.press(say('api-key.submit'));
    await scene.sees(say('reconfirm.intro'));
    await page.keyboard.press('Escape');
    await walker.reaches(say('api-key.submit'));
    equal(await page.getByLabel(say('api-key.lifetime')).inputValue(), '30');
    equal(await page.getByLabel('notes:read').isChecked(), true);
    await walker.enter();
    await walker.reaches(say('field.password'));
    await walker.type(password);
    await walker.enter();
    await until(() => page.evaluate(() => document.activeElement?.textContent), say('api-key.shown-once'));
    await context.clock.setFixedTime(Date.now());
    await scene.state('security, new API key');
    const key = await page.locator('main code').first().innerText();
    match(key, /^plinth_uk_[0-9A-Za-z]{46}$/);
    await walker.press(say('ui.copy-what', { what: say('api-key.key') }));
    await scene.sees(say('ui.copied'));
    await walker.press(say('api-key.kept'));
    await walker.reaches(say('api-key.create'));
    equal(await page.getByText(key).count(), 0);

    const used = await world.backend.fetch('/rest/v1/rpc/nothing', {
      headers: { authorization: `Bearer ${key}` },
    });
    equal(used.status, 404);
    await page.reload();
    // The name is shown as text, and the time of the last use is known.
    await scene.sees('notes:read');
    await scene.sees(say('activity.api_key_created', { name }));
    equal(await page.getByText(name, { exact: true }).count(), 1);
    equal(await page.getByText(say('api-key.unused')).count(), 0);
    const revoke = say('api-key.revoke-what', { name });
    await walker.press(revoke);
    await walker.reaches(say('security.factor-keep'));
    await scene.state('security, API key to be revoked');
    await walker.press(say('security.factor-keep'));
    await walker.press(revoke);
    await walker.press(say('api-key.revoke'), 'button');
    await scene.sees(say('api-key.revoked', { name }));
    await scene.sees(say('api-key.none'));
    await scene.state('security, API key revoked');
  },
};

const failing: Flow = {
  name: 'API keys can’t be loaded, or an account has too many of them',
  async play({ context, page, walker, ...scene }) {
    await context.route(route, (request) =>
      request.fulfill({ status: 403, json: { error_code: 'not_admin' } }),
    );
    await scene.signedIn();
    const section = page.getByRole('region', { name: say('api-key.title'), exact: true });
    await section.getByText(say('security.load-failed')).waitFor();
    equal(await section.getByRole('button', { name: say('api-key.create') }).count(), 0);
    await scene.state('security, API keys not loaded');
    await context.unroute(route);
    await section.getByRole('button', { name: say('security.again') }).press('Enter');
    await scene.sees(say('api-key.none'));

    await walker.press(say('api-key.create'));
    await walker.fill(say('api-key.name'), 'One too many');
    await context.route(route, (request) =>
      request.request().method() === 'POST'
        ? request.fulfill({ status: 409, json: { error_code: 'conflict' } })
        : request.continue(),
    );
    await walker.enter();
    await scene.sees(say('api-key.too-many'));
    await scene.state('security, too many API keys');
    equal(await page.getByLabel(say('api-key.name'), { exact: true }).inputValue(), 'One too many');
    await walker.press(say('security.cancel'));
    await walker.reaches(say('api-key.create'));
  },
};

const ofGuests: Flow = {
  name: 'guests see why they can’t create API keys',
  async play({ page, ...scene }) {
    await scene.startsAsGuest();
    await scene.open('security');
    await scene.sees(say('api-key.guest'));
    equal(await page.getByRole('button', { name: say('api-key.create') }).count(), 0);
    await scene.state('security, API keys of a guest');
  },
};

export const withApiKeys: readonly Flow[] = [created, failing, ofGuests];
