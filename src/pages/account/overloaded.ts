/**
 * The responses to requests that are rejected because the server is overloaded. Requests by scripts receive JSON, and
 * requests for pages receive HTML.
 */
import type { OverloadBody } from '../../base/kernel/service.ts';
import { accountErrors } from './errors.ts';

const { message } = accountErrors.overloaded;

const json: OverloadBody = {
  below: '/account/api',
  type: 'application/json; charset=utf-8',
  text: JSON.stringify({ code: 'overloaded', message }),
};
const page: OverloadBody = {
  type: 'text/html; charset=utf-8',
  text: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Try again in a moment</title><h1>Try again in a moment</h1><p>${message}</p></html>`,
};

export const overloaded: readonly OverloadBody[] = [json, page];
