/** The settings pages for the project and for the Account pages. */
import { languages, languageTags } from '../../../../base/shared/languages.ts';
import { type PageSpec, under } from './types.ts';

export const projectPages: readonly PageSpec[] = [
  {
    id: 'general',
    group: 'project',
    title: 'General',
    text: 'The name and the addresses of your project.',
    parts: [
      {
        settings: [
          ['project_id', 'Project name', { words: 'id' }],
          ['auth.site_url', 'App URL', { words: 'website homepage site redirect' }],
          ['api.external_url', 'Public API URL', { words: 'domain hostname address external' }],
        ],
      },
      {
        title: 'Services',
        text: 'The parts of the server that are running.',
        settings: [
          ['auth.enabled', 'Auth', { words: 'users login' }],
          ['api.enabled', 'REST API', { words: 'postgrest' }],
          ['realtime.enabled', 'Realtime', { words: 'websocket' }],
          ['storage.enabled', 'Storage', { words: 'files' }],
          ['edge_runtime.enabled', 'Edge functions', { words: 'deno serverless' }],
          ['studio.enabled', 'Console', { words: 'dashboard studio' }],
          ['local_smtp.enabled', 'Captured inbox', { words: 'mailpit inbucket' }],
        ],
      },
      {
        title: 'Project files',
        isRare: true,
        settings: [
          ['files.allowed_folders', 'Additional folders', { words: 'monorepo path' }],
          ['server.watch_config', 'Apply changed settings files automatically', { words: 'reload watch' }],
        ],
      },
    ],
  },
  {
    id: 'branding',
    group: 'project',
    title: 'Branding',
    text: 'How your product appears on the Account pages and in emails.',
    parts: [
      {
        settings: under('branding', [
          ['name', 'Product name'],
          ['color', 'Primary color', { words: 'theme accent' }],
          ['logo', 'Logo URL', { words: 'image icon' }],
          ['logo_path', 'Logo file', { words: 'image icon' }],
        ]),
      },
      {
        title: 'Links',
        settings: under('branding', [
          ['support_url', 'Support page', { words: 'help contact' }],
          ['terms_url', 'Terms of service', { words: 'legal' }],
          ['privacy_url', 'Privacy policy', { words: 'legal gdpr' }],
        ]),
      },
      {
        title: 'Welcome text',
        text: 'Text below the heading of the sign-in and sign-up pages.',
        settings: under(
          'branding.welcome',
          languageTags.map((tag) => [tag, languages[tag].english]),
        ),
      },
    ],
  },
  {
    id: 'account-pages',
    group: 'project',
    title: 'Account pages',
    text: 'The pages on which users sign in and manage their account.',
    parts: [
      {
        settings: under('account', [
          ['languages', 'Languages', { words: 'locale translation i18n' }],
          ['deletion', 'Users can delete their account', { words: 'remove close gdpr' }],
          ['confirm_by_button', 'Confirm email links with a button', { words: 'scanner prefetch' }],
          ['organizations', 'Organizations', { words: 'teams workspaces tenants members invitations b2b' }],
        ]),
      },
      {
        title: 'Apps that use the Account pages',
        isRare: true,
        settings: under('account', [
          ['sign_in_url', 'Address that starts a sign-in', { words: 'invitation sign in again login' }],
          ['implicit_return', 'Return sessions in the URL fragment', { words: 'implicit flow pkce' }],
        ]),
      },
    ],
  },
  {
    id: 'console',
    group: 'project',
    title: 'Console',
    text: 'The web app for operators, which you are using now.',
    words: 'dashboard studio admin',
    parts: [
      {
        settings: under('console', [
          ['require_mfa', 'Require a second factor for operators', { words: '2fa two-factor mfa' }],
          ['url', 'Public Console URL', { words: 'domain address' }],
          ['undo_days', 'Days for which changes can be undone', { words: 'journal restore revert' }],
          ['undo_max_size', 'Maximum size of the undo journal', { words: 'journal storage' }],
          ['agent_documents', 'Load the metadata of AI agents', { words: 'oauth mcp cimd' }],
        ]),
      },
      {
        title: 'Language model',
        text: "Writes SQL for questions on the SQL page. Off unless a URL and a model are set. Rows aren't sent.",
        settings: under('console.ask', [
          ['url', 'Base URL of the endpoint', { words: 'ai llm openai ollama vllm llama.cpp ask' }],
          ['model', 'Model', { words: 'ai llm' }],
          ['key', 'API key', { words: 'token secret' }],
          ['allow_rows', 'Let operators add rows to a question', { words: 'data privacy' }],
          ['timeout', 'Time limit of an answer'],
          ['max_questions_per_day', 'Questions in 24 hours', { unit: 'questions' }],
        ]),
      },
      {
        title: 'Network',
        isRare: true,
        settings: [
          ['studio.port', 'Console port'],
          ['console.host', 'Console listen address', { words: 'bind interface' }],
          ['console.tls.cert', 'Console certificate file', { words: 'https ssl' }],
          ['console.tls.key', 'Console private key file', { words: 'https ssl' }],
        ],
      },
    ],
  },
];
