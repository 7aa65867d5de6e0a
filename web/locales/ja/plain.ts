export const messages = {
  'page.signed-in': 'ログインしました',
  'page.leave-guest': 'ゲストアカウントからログアウトしますか？',
  'page.refused': 'このフォームは送信できません',
  'page.failed': '問題が発生しました',
  'page.limited': '試行回数が多すぎます',

  'page.confirm-invite': '{name}に参加',
  'page.confirm-number': 'リクエストを確認',
  'page.confirm-canceled': 'このリンクは無効になりました',
  'page.confirmed': '確認しました',
  'page.confirm-recovery': 'パスワードを再設定',
  'page.confirm-magiclink': '{name}にログイン',
  'page.confirm-email_change': 'メールアドレスを確認',

  'confirm.invite': '{email}として{name}に招待されました。招待を承諾して、ログイン方法を選択してください。',
  'confirm.invite-button': '{name}に参加',
  'confirm.recovery': '{email}の新しいパスワードを設定します。このリンクは1回だけ使用できます。',
  'confirm.recovery-button': '続ける',
  'confirm.magiclink': '{email}としてログインします。このリンクは1回だけ使用できます。',
  'confirm.magiclink-button': 'ログイン',
  'confirm.email_change': '{email}を{name}アカウントのメールアドレスとして確認します。',
  'confirm.email_change-button': 'メールアドレスを確認',

  'confirm.number': 'このメールをリクエストしたウィンドウに表示されている数字を入力してください。',
  'confirm.number-device':
    'このメールをリクエストしたウィンドウ（{system}の{browser}）に表示されている数字を入力してください。',
  'confirm.number-button': '確認',
  'confirm.number-warning':
    'このメールをリクエストしていない場合は、このページを閉じてください。他の人から送られてきた数字は絶対に入力しないでください。',
  'confirm.canceled':
    '誤った数字が何度も入力されました。メールをリクエストしたウィンドウで、メールのコードを入力するか、新しいコードを送信してください。',
  'confirm.done': '操作を開始したブラウザに戻ってください。そのページが自動的に続行します。',
  'confirm.closed': 'そのページを閉じた場合は、このデバイスでログインしてください。',
  'confirm.sign-in': 'このデバイスでログイン',
  'confirm.number-link': 'このリンクは{name}の{email}用です。',
  'unlocked.password': '新しいパスワードを設定',
  'page.link-expired-invite': 'この招待は使用済みか、期限切れです',
  'link-expired.invite':
    'すでに参加している場合は、ログインしてください。そうでない場合は、コードをメールで受け取るか、新しい招待を依頼してください。',
  'field.number': 'もう一方のウィンドウの数字',
  'field.number-wrong': '数字が正しくありません。もう一方のウィンドウを確認して、もう一度お試しください。',

  'page.cancel-change': 'メールアドレスの変更をキャンセルしますか？',
  'page.change-canceled': '変更をキャンセルしました',
  'page.email-changed': 'メールアドレスを変更しました',
  'cancel-change.text':
    'アカウントのメールアドレスの変更がリクエストされました。お心当たりがない場合は、変更をキャンセルしてください。',
  'cancel-change.to':
    'アカウントのメールアドレスを{email}に変更するリクエストがありました。お心当たりがない場合は、変更をキャンセルしてください。',
  'cancel-change.button': '変更をキャンセル',
  'change-canceled.text':
    'メールアドレスは変更されていません。変更をリクエストしていない場合は、今すぐ新しいパスワードを設定してください。他のすべてのデバイスからログアウトします。',
  'change-canceled.password': '新しいパスワードを設定',
  'email-changed.text':
    'アカウントの新しいメールアドレスを確認しました。このウィンドウを閉じてかまいません。',

  'page.remove-factors': '2段階認証を解除しますか？',
  'page.remove-factors-done': '解除を予約しました',
  'remove-factors.text':
    '確認すると、{when}にアカウント{email}の2段階認証が解除されます。その後は2段階目の認証なしでログインします。',
  'remove-factors.found':
    'それまでに2段階目の認証が再び使用できるようになった場合は、それを使ってログインすると解除をキャンセルできます。',
  'remove-factors.button': '解除を確認',
  'remove-factors.not-me':
    'この解除をリクエストしていない場合は、このページを閉じてください。他の人がパスワードを知っているため、新しいパスワードを設定してください。',
  'remove-factors-done.text':
    '2段階認証は{when}に解除されます。完了したらメールでお知らせします。このページを閉じてかまいません。',
  'remove-factors-expired.text':
    'リンクが置き換えられたか期限切れ、またはリクエストがキャンセルされています。もう一度解除をリクエストするには、ログインして「2段階目の認証を使用できない」を選択してください。',
  'page.not-me': 'アカウントを保護',
  'not-me.new_device': '{when}に、新しいデバイスでアカウントへのログインがありました。',
  'not-me.password_set': '{when}に、アカウントのパスワードが設定されました。',
  'not-me.password_changed': '{when}に、パスワードが変更されました。',
  'not-me.email_changed': '{when}に、メールアドレスが変更されました。',
  'not-me.phone_changed': '{when}に、電話番号が変更されました。',
  'not-me.factor_added': '{when}に、アカウントに認証方法が追加されました。',
  'not-me.factor_removed': '{when}に、アカウントから認証方法が削除されました。',
  'not-me.factor_removal_requested': '{when}に、アカウントの2段階認証の解除がリクエストされました。',
  'not-me.factors_reset': '{when}に、アカウントの2段階認証が解除されました。',
  'not-me.recovery_code_used': '{when}に、アカウントのリカバリーコードが使用されました。',
  'not-me.passkey_added': '{when}に、アカウントにパスキーが追加されました。',
  'not-me.identity_linked': '{when}に、アカウントにログイン方法が追加されました。',
  'not-me.identity_unlinked': '{when}に、アカウントからログイン方法が削除されました。',
  'not-me.app_connected': '{when}に、アカウントにアプリが接続されました。',
  'not-me.api_key_created': '{when}に、アカウントにAPIキーが作成されました。',
  'not-me.then': '「自分ではない」を選択すると：',
  'not-me.new_device-undo': '新しいデバイスはログアウトされ、認識されなくなります。',
  'not-me.password_changed-undo': '現在のパスワードは使用できなくなります。',
  'not-me.email_changed-undo': 'メールアドレスは{email}に戻ります。',
  'not-me.phone_changed-undo': '以前の電話番号に戻ります。',
  'not-me.factor_added-undo': '新しい認証方法は削除されます。',
  'not-me.factor_removed-undo':
    '削除された認証方法は復元できません。再度ログインした後に、新しく追加してください。',
  'not-me.factor_removal_requested-undo': '解除はキャンセルされ、2段階認証は有効のままになります。',
  'not-me.factors_reset-undo':
    '削除された認証方法は復元できません。再度ログインした後に、新しく追加してください。',
  'not-me.recovery_code_used-undo':
    '使用されたリカバリーコードは無効のままです。他のコードは引き続き使用できます。',
  'not-me.passkey_added-undo': '新しいパスキーは削除されます。',
  'not-me.identity_linked-undo': '新しいログイン方法は削除されます。',
  'not-me.identity_unlinked-undo':
    '削除されたログイン方法は復元できません。ログインした後に、もう一度追加してください。',
  'not-me.app_connected-undo': 'アプリはアカウントにアクセスできなくなります。',
  'not-me.api_key_created-undo': 'アカウントのAPIキーはすべて取り消されます。',
  'not-me.later': 'その後に行われた次の変更も取り消されます：',
  'not-me.sign-out': 'すべてのデバイスと接続済みアプリからログアウトし、パスワードは使用できなくなります。',
  'not-me.back-in':
    '再度ログインするには、{email}に送信するコードを入力し、新しいパスワードを設定してください。',
  'not-me.device': 'デバイス：{system}の{browser}',
  'not-me.later-password_set': 'パスワードを設定、{when}',
  'not-me.later-password_changed': 'パスワードを変更、{when}',
  'not-me.later-email_changed': 'メールアドレスを変更、{when}',
  'not-me.later-phone_changed': '電話番号を変更、{when}',
  'not-me.later-factor_added': '認証方法を追加、{when}',
  'not-me.later-recovery_codes_created': 'リカバリーコードを作成、{when}',
  'not-me.later-passkey_added': 'パスキーを追加、{when}',
  'not-me.later-identity_linked': 'ログイン方法を追加、{when}',
  'not-me.later-app_connected': 'アプリを接続、{when}',
  'not-me.later-api_key_created': 'APIキーを作成、{when}',
  'not-me.later-device': '、{system}の{browser}',
  'page.not-me-secured': 'アカウントはすでに保護されています',
  'not-me-secured.text':
    '{when}にアカウントを保護しました。このメールの変更はすでに無効なため、このリンクは必要ありません。',
  'not-me-secured.help':
    'まだ心当たりのないものがある場合は、新しいパスワードを設定してください。他のすべてのデバイスからログアウトします。',
  'not-me-expired.text':
    'このセキュリティ通知のリンクはもう使用できません。まだ心当たりのないものがある場合は、新しいパスワードを設定してください。他のすべてのデバイスからログアウトします。',
  'not-me.button': '自分ではない',
  'not-me.was-me': 'ご自身による操作の場合は、このページを閉じてかまいません。何も変更されません。',
  'page.unlock': 'ログインの一時停止を解除',
  'unlock.text':
    'パスワードまたはコードの間違いが多すぎるため、アカウントへのログインを一時停止しています。ご自身による操作の場合は、一時停止を解除してください。',
  'unlock.button': 'ログインの一時停止を解除',
  'not-me.was-me-not':
    'ログインを試していない場合は、このページを閉じてください。アカウントは引き続き保護されます。',
  'page.unlocked': 'ログインの一時停止を解除しました',
  'page.unlocked-before': 'ログインの一時停止はすでに解除されています',
  'unlocked.text':
    '再度ログインできます。パスワードを思い出せない場合は、今すぐ新しいパスワードを設定してください。',
  'unlocked.button': 'ログイン',
  'page.secured': 'アカウントを保護しました',
  'secured.text':
    '変更を取り消し、すべてのデバイスからログアウトしました。再度ログインするには、新しいパスワードを設定してください。',
  'secured.button': '新しいパスワードを設定',
  'secured.factor':
    '利用できる場合は、ログインした後にアカウントページで2段階認証を有効にしてください。パスワードが盗まれても、2段階認証がアカウントを守ります。',
  'secured.has-factor': '2段階認証は有効のままのため、2段階目の認証も必要です。',
  'secured.sso':
    'すべてのデバイスからログアウトしました。組織を通じて再度ログインし、組織の管理者に状況を伝えてください。',
  'secured.sso-button': 'SSOでログイン',
  'secured.none':
    'すべてのデバイスからログアウトし、パスワードは使用できなくなりました。以前のメールアドレスは、現在別のアカウントで使用されています。再度ログインするには、サポートにお問い合わせください。',

  'field.code-empty': 'コードを入力してください。',

  'plain.sent':
    '{email}にメールを送信しました。アカウントをお持ちの場合は、メールのコードを入力するか、メールのリンクを開いてください。お持ちでない場合は、メールで次の手順をご案内しています。',
  'plain.sent-confirm':
    '{email}にコードを送信しました。アドレスを確認するため、コードを入力するか、メールのリンクを開いてください。',
  'page.accounts': 'アカウントを選択',
  'accounts.continue': '{name}として続ける',
  'accounts.guest': 'ゲストとして続ける',
  'accounts.current': 'ログイン中（最後に使用）',
  'accounts.one-out':
    'そのアカウントからここではログアウトしました。そのアカウントを使用するアプリには、まだログインしている可能性があります。',
  'accounts.all-out':
    'すべてのアカウントからログアウトしました。アカウントを使用するアプリには、まだログインしている可能性があります。',
  'accounts.manage': 'アカウントに移動',
  'accounts.in': 'ログイン',
  'accounts.out': 'ログアウト済み',
  'accounts.sign-out': 'ログアウト',
  'accounts.forget': 'このブラウザから削除',
  'accounts.guest-name': 'ゲストアカウント',
  'accounts.save-guest': 'アカウントを残すには、ゲストとして続けて保存してください。',
  'accounts.add': '別のアカウントを使用',
  'accounts.sign-out-all': 'すべてのアカウントからログアウト',
  'page.with': 'ログインを続けますか？',
  'with.text': '別のサイトのリンクから、{connection}でのログインに進もうとしています。',
  'with.button': '{connection}に進む',
  'with.warning': 'お心当たりがない場合は、このページを閉じてください。ログインは行われません。',
  'plain.sso': '{email}としてログインするには、SSOを使用してください。',
  'plain.sso-button': 'SSOで続ける',
  'plain.join': '今後ログインに使用するパスワードを設定してください。',
  'plain.number': 'リンクを別のデバイスで開いた場合は、そこに数字{number}を入力してください。',
  'plain.check': '別のデバイスでリンクを確認しました',
  'plain.unsaved':
    '新しいパスワードはまだ保存されていません。先に本人確認を行い、新しいパスワードをもう一度入力してください。',
  'plain.unconfirmed': 'リンクはまだ別のデバイスで確認されていません。',
  'page.refused-app': 'このアプリではログインできません',
  'refused.redirect_not_allowed':
    'アプリのアドレスが許可されていません。アプリのサポートにお問い合わせください。',
  'refused.redirect_not_allowed-hint':
    'supabase/config.tomlの[auth]セクションのadditional_redirect_urlsに{url}を追加するか、site_urlのアドレスを使用してください。',
  'refused.pkce_required': 'アプリのログインリクエストが不完全です。アプリのサポートにお問い合わせください。',
  'refused.pkce_required-hint':
    'code_challengeとcode_challenge_method=s256を、redirect_to={url}と一緒に送信してください。代わりにURLフラグメントでセッションを返すには、supabase/plinth.tomlの[account]セクションでimplicit_return = trueを設定してください。',
  'refused.bad_code_challenge':
    'アプリのログインリクエストが不完全です。アプリのサポートにお問い合わせください。',
  'refused.bad_code_challenge-hint':
    'code_challengeはA-Z a-z 0-9 . _ ~ -からなる43～128文字、code_challenge_methodはs256またはplainである必要があります。',
  'plain.mfa': '認証アプリを開き、{name}の{email}のコードを入力してください。',
  'plain.mfa-other':
    '2段階目の認証に別の方法を使用する場合や、認証手段をなくしてリカバリーコードもない場合は、JavaScriptを有効にしてこのページを再読み込みしてください。',
  'plain.mfa-app': '認証アプリを使用',
  'plain.as': '{who}としてログイン中です。',
  'plain.as-guest': 'ゲストアカウントを使用しています。',
  'plain.continue': '{host}に進む',
  'plain.continue-hint': 'まもなく移動します。画面が切り替わらない場合は、リンクを使用してください。',
  'plain.account': 'アカウント',
  'plain.sign-out': 'ログアウト',
  'plain.connected': '連携アカウント',
  'plain.needs-scripts':
    'アカウントの設定を変更するには、JavaScriptを有効にしてこのページを再読み込みしてください。',
  'plain.back': '{name}に戻る',
  'plain.save-guest': 'アカウントを保存するには、JavaScriptを有効にしてアカウントを開いてください。',
  'plain.refused':
    'ページが長時間開かれていたか、このサイト以外から送信されたフォームです。変更は行われていません。ページをもう一度開き、フォームを再送信してください。',
  'plain.failed': 'サーバー側で問題が発生しました。しばらくしてからもう一度お試しください。',
  'plain.limited':
    'お使いのネットワークからのリクエストが多すぎます。変更は行われていません。少し待ってから、もう一度リンクを開いてください。',

  'page.organizations': '組織',
  'page.invitation-open': '招待が届いています',
  'page.invitation-other': 'この招待は別のアドレス宛てです',
  'page.invitation-unverified': '先にメールアドレスを確認してください',
  'page.invitation-expired': 'この招待は期限切れです',
  'page.invitation-used': 'この招待は使用済みです',
  'page.invitation-none': '招待が見つかりません',
  'page.invitation-member': 'すでにメンバーです',
  'organizations.guest': 'ゲストは組織を利用できません。先にアカウントを保存するか、ログインしてください。',
  'field.organization-missing': '組織の名前を入力してください。',
  'field.slug-missing': '組織の短縮名を入力してください。',
  'organizations.who': '{who}としてログイン中',
  'organizations.mine': '所属する組織',
  'organizations.invitations': 'あなたへの招待',
  'organizations.requests': '送信した参加リクエスト',
  'organizations.waiting': '回答待ち',
  'organizations.withdraw': '取り消す',
  'organizations.as': '{role}として',
  'organizations.open-mail': '承諾するには、メールのリンクを開いてください。',
  'organizations.current': '{role} · 現在の組織',
  'organizations.switch': '切り替える',
  'organizations.none':
    'まだどの組織のメンバーでもありません。組織を作成するか、組織の管理者に招待を依頼してください。',
  'organizations.available': '参加できる組織',
  'organizations.available-why': '{domain}のアドレスを持つ人が対象',
  'organizations.available-join': '参加',
  'organizations.available-request': '参加をリクエスト',
  'field.organization-closed':
    'このメールアドレスではこの組織に参加できません。メンバーに招待を依頼してください。',
  'organizations.create-title': '組織を作成',
  'organizations.name': '組織の名前',
  'organizations.create': '組織を作成',
  'organizations.ask-title': '組織への参加をリクエスト',
  'organizations.slug': '短縮名',
  'organizations.slug-hint': '短縮名（acmeなど）はメンバーに確認してください。',
  'organizations.message': '管理者へのメッセージ（任意）',
  'organizations.ask': 'リクエストを送信',
  'organizations.created': '組織を作成し、その組織に切り替えました。',
  'organizations.switched': '別の組織に切り替えました。',
  'organizations.joined': '組織に参加しました。',
  'organizations.declined': '招待を辞退しました。',
  'organizations.requested': 'リクエストを送信しました。管理者が承認すると、組織がここに表示されます。',
  'organizations.withdrawn': 'リクエストを取り下げました。',
  'organizations.left': '組織から脱退しました。',
  'organizations.deleted': '組織を削除しました。',
  'invitation.text': '{organization}に招待されました。ロール：{role}',
  'invitation.join': '{organization}に参加',
  'invitation.decline': '拒否',
  'invitation.other': '別のアカウントを使用',
  'invitation.sign-in':
    '招待を承諾するには、{email}としてログインするか、このアドレスでアカウントを作成してください。',
  'invitation.sign-in-link': '招待を承諾するには、ログインするか、アカウントを作成してください。',
  'invitation.wrong': 'この招待は{email}宛てです。現在は{who}としてログインしています。',
  'invitation.unverified': 'この招待は{email}宛てですが、アカウントのこのアドレスはまだ確認されていません。',
  'invitation.expired': '{organization}に招待した人に、新しい招待の送信を依頼してください。',
  'invitation.used':
    'すでに{organization}に参加している場合は、所属する組織を開いてください。そうでない場合は、新しい招待を依頼してください。',
  'invitation.none': 'リンクが不完全か、招待が取り消されています。新しい招待を依頼してください。',
  'invitation.member': 'このアカウントはすでに{organization}のメンバーです。',
  'invitation.to-list': '所属する組織',
};
