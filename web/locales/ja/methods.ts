export const messages = {
  'wallet.ethereum': 'Ethereumウォレット',
  'wallet.solana': 'Solanaウォレット',
  'wallet.none':
    'このブラウザにウォレットが見つかりません。インストールしてページを再読み込みするか、ウォレットのブラウザでこのページを開いてください。',

  'join.intro': '{email}として{name}にログインします。',
  'join.passkey': 'パスキーを作成する',

  'page.two-step-prove': '2段階目の認証を設定',
  'page.two-step-codes': 'リカバリーコードを保存',
  'two-step.progress': 'ステップ{step}/{steps}',
  'two-step.intro': '{name}へのログインには2段階目の認証が必要です。方法を選択してください。',
  'two-step.totp':
    'パスワードマネージャーなど、スマートフォンのアプリにコードが表示されます。オフラインでも使えます。',
  'two-step.key': 'USBまたはNFCのキー、もしくはデバイスの指紋認証や顔認証。',
  'two-step.phone': '毎回コードをSMSで送信します。',
  'two-step.none':
    'このブラウザでは2段階目の認証を設定できません。別のブラウザまたは別のデバイスでこのページを開いてください。',
  'mfa.again': 'ログイン方法を変更するには、本人確認を行ってください。',
  'mfa.unusable':
    'このアドレスではセキュリティキーを使用できません。別のブラウザまたはデバイスを使用してください。',
  'mfa.use-totp': '認証アプリを使用（{name}）',
  'mfa.use-phone': '{name}にコードをSMSで送信',
  'mfa.use-key': 'セキュリティキーを使用（{name}）',
  'page.lost': 'アカウントへのアクセスを回復',
  'lost.open': '2段階目の認証を使用できない',
  'lost.intro': 'スマートフォン、認証アプリ、セキュリティキーをなくした場合でも、ログインできます。',
  'lost.no-codes': 'リカバリーコードがありません。',
  'lost.removal':
    '2段階認証の解除をリクエストできます。{email}に送信するメールでリクエストを確認し、{wait}お待ちください。その間、アカウントの所有者は解除を中止できます。',
  'lost.hours': '{count, plural, other {#時間}}',
  'lost.minutes': '{count, plural, other {#分}}',
  'lost.request': '解除をリクエスト',
  'lost.requested': '{email}にリンクを送信しました。リクエストを確認するため、1時間以内に開いてください。',
  'lost.resend': '新しいリンクを送信',
  'lost.waiting':
    '2段階認証は{when}に解除されます。その後は2段階目の認証なしでログインできます。2段階認証を維持するには、それまでに2段階目の認証を使ってログインしてください。',
  'lost.cancel': '解除をキャンセル',
  'lost.other-sign-in':
    '2段階認証の解除をリクエストするには、パスワードまたは外部サービスでログインしてください。リクエストはメールでも確認していただきます。',
  'lost.recent':
    'パスワード、連絡先、またはログイン方法が最近変更されました。安全のため、2段階認証の解除は最後の変更から{wait}後にリクエストできます。',
  'lost.support':
    '2段階認証のリセットを{name}のサポートに依頼してください。ご本人のアカウントであることをサポートが確認します。',
  'lost.support-button': 'サポートを受ける',
  'lost.operator':
    '2段階認証のリセットを{host}の運営者に依頼してください。ご本人のアカウントであることを運営者が確認します。',
  'lost.back': '戻る',
  'mfa.use-recovery': 'リカバリーコードを使用',
  'mfa.phone-intro': '{name}にコードをSMSで送信します。',
  'mfa.phone-send': 'コードを送信',
  'mfa.phone-sent': '{name}に{length}桁のコードをSMSで送信しました。',
  'mfa.phone-wrong':
    'コードが正しくないか、期限切れです。コードを確認するか、新しいコードをリクエストしてください。',
  'mfa.key-intro': '{name}を接続するかデバイスに近づけ、ブラウザの指示に従ってください。',
  'mfa.key-submit': 'セキュリティキーを使用',
  'page.recovery-used': 'なくした2段階目の認証を置き換える',
  'recovery-used.text':
    'リカバリーコードを使用しました。{left, plural, other {残りは#個です。}}なくした2段階目の認証を削除し、新しく設定してください。',
  'recovery-used.replace': 'アカウントに移動',
  'recovery-used.later': '今はしないで続ける',
  'mfa.recovery-intro':
    '保存したリカバリーコードのいずれかを入力してください。各コードは1回だけ使用できます。',
  'mfa.recovery-code': 'リカバリーコード',
  'mfa.recovery-missing': 'リカバリーコードを入力してください。',
  'mfa.recovery-wrong':
    'コードが正しくないか、使用済みです。コードを確認するか、別のコードを入力してください。',

  'factor.intro': 'パスワードが盗まれても、2段階認証がアカウントを守ります。',
  'factor.phone': '電話',
  'factor.webauthn': 'セキュリティキー',
  'factor.add-phone': '電話を追加',
  'factor.add-key': 'セキュリティキーを追加',
  'factor.key-name': 'キーの名前',
  'factor.key-hint': '後で見てわかる名前を付けてください。',
  'factor.ready': '2段階認証が有効になりました。ログイン時に2段階目の認証を行います。',
  'factor.removed': '2段階目の認証を削除しました。',
  'factor.remove-what': '2段階目の認証「{name}」を削除',
  'factor.remove-ask': '2段階目の認証「{name}」を削除しますか？すぐに使用できなくなります。',
  'factor.required': 'このサービスでは2段階認証が必要です。アプリに進むには設定してください。',
  'factor.last':
    'このサービスでは2段階認証が必要です。この2段階目の認証を削除するには、先に別の方法を追加してください。',

  'recovery.title': 'リカバリーコード',
  'recovery.codes': 'リカバリーコード',
  'recovery.intro':
    'スマートフォンやセキュリティキーをなくしたときは、リカバリーコードを使用してください。各コードは1回だけ使用できます。',
  'recovery.none': 'リカバリーコードはまだありません',
  'recovery.left': '{total}個のうち残り{remaining, plural, other {#個}}です。',
  'recovery.few': 'コードが残りわずかです。新しいコードを生成すると、古いコードは使用できなくなります。',
  'recovery.make': 'リカバリーコードを生成',
  'recovery.remake': '新しいコードを生成',
  'recovery.remake-ask': 'リカバリーコードを置き換えますか？保存済みのコードは使用できなくなります。',
  'recovery.replace': 'コードを置き換える',
  'recovery.shown-once': 'コードを安全な場所に保存してください。再び表示されることはありません。',
  'recovery.download': 'ダウンロード',
  'recovery.print': '印刷',
  'recovery.last-step':
    '最後のステップとして、リカバリーコードを生成してください。デバイスをなくしたときに必要になります。',
  'recovery.kept': 'コードを保存しました',

  'passkey.title': 'パスキー',
  'passkey.intro': '指紋、顔、または画面ロックでログインします。パスワードは必要ありません。',
  'passkey.none': 'パスキーはまだありません',
  'passkey.add': 'パスキーを追加',
  'passkey.ready': 'パスキーを追加しました。このパスキーでログインできます。',
  'passkey.unsupported': 'このブラウザでは、このアドレスのパスキーを作成できません。',
  'passkey.unnamed': 'パスキー',
  'passkey.used': '最終使用：{when}',
  'passkey.rename': '名前を変更',
  'passkey.rename-what': '{name}の名前を変更',
  'passkey.renamed': '名前を「{name}」に変更しました。',
  'passkey.name': '名前',
  'passkey.name-missing': '名前を入力してください。',
  'passkey.save': '保存',
  'passkey.remove-ask': '{name}を削除しますか？このパスキーではログインできなくなります。',
  'passkey.removed': 'パスキーを削除しました。デバイス上のパスキーも削除してください。',

  'identity.title': '連携アカウント',
  'identity.intro': '以下のどのアカウントでもログインできます。',
  'identity.link': '{name}を連携',
  'identity.linked': '{name}を連携しました。このアカウントでログインできます。',
  'identity.unlink': '連携を解除',
  'identity.unlink-ask': '{name}の連携を解除しますか？このアカウントではログインできなくなります。',
  'identity.unlink-ask-address':
    '{name}の連携を解除しますか？このアカウントではログインできなくなります。{email}では引き続きログインできます。',
  'identity.unlinked': '{name}の連携を解除しました。',
  'identity.last': '連携を解除するには、先に別のアカウントを連携してください。',
  'identity.kept-by-project': 'このサービスでは、このアカウントの連携を解除できません。',
  'identity.since': '連携日：{when}',
  'identity.organization': '所属組織',
};
