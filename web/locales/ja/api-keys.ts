/** Japanese translations of `en/api-keys.ts`. */
export const messages = {
  'api-key.title': 'APIキー',
  'api-key.intro':
    'キーを使うと、スクリプトやプログラムからあなたのデータにアクセスできます。キーは持っている人なら誰でも使えるため、ほかの人に知られないようにしてください。',
  'api-key.none': 'APIキーはまだありません',
  'api-key.guest': 'ゲストはAPIキーを作成できません。先にアカウントを保存してください。',
  'api-key.create': 'APIキーを作成',
  'api-key.name': '名前',
  'api-key.name-hint': 'キーを使うプログラムの名前など',
  'api-key.name-missing': '名前を入力してください。',
  'api-key.lifetime': '有効期間',
  'api-key.scopes': '権限',
  'api-key.submit': 'キーを作成',
  'api-key.too-many': 'APIキーの数が上限に達しました。使わなくなったキーを取り消してください。',
  'api-key.shown-once':
    'このキーをコピーして、安全な場所に保存してください。再び表示されることはありません。',
  'api-key.key': 'APIキー',
  'api-key.kept': 'キーを保存しました',
  'api-key.created': '作成日：{when}',
  'api-key.expires': '有効期限：{when}',
  'api-key.expired': '期限切れ：{when}',
  'api-key.unused': '未使用',
  'api-key.revoke': '取り消す',
  'api-key.revoke-what': '{name}を取り消す',
  'api-key.revoke-ask':
    '{name}を取り消しますか？このキーを使っているプログラムは、数秒以内にアクセスできなくなります。',
  'api-key.revoked': '{name}を取り消しました。プログラムはこのキーを使用できなくなりました。',
};
