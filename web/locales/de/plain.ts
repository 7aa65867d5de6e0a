export const messages = {
  'page.signed-in': 'Sie sind angemeldet',
  'page.leave-guest': 'Vom Gastkonto abmelden?',
  'page.refused': 'Dieses Formular kann nicht gesendet werden',
  'page.failed': 'Ein Fehler ist aufgetreten',
  'page.limited': 'Zu viele Versuche',

  'page.confirm-invite': '{name} beitreten',
  'page.confirm-number': 'Anfrage bestätigen',
  'page.confirm-canceled': 'Dieser Link ist nicht mehr gültig',
  'page.confirmed': 'Bestätigt',
  'page.confirm-recovery': 'Passwort zurücksetzen',
  'page.confirm-magiclink': 'Bei {name} anmelden',
  'page.confirm-email_change': 'E‑Mail-Adresse bestätigen',

  'confirm.invite':
    'Sie wurden als {email} zu {name} eingeladen. Nehmen Sie die Einladung an, um zu wählen, wie Sie sich anmelden.',
  'confirm.invite-button': '{name} beitreten',
  'confirm.recovery':
    'Fahren Sie fort, um ein neues Passwort für {email} zu wählen. Dieser Link funktioniert nur einmal.',
  'confirm.recovery-button': 'Weiter',
  'confirm.magiclink': 'Melden Sie sich als {email} an. Dieser Link funktioniert nur einmal.',
  'confirm.magiclink-button': 'Anmelden',
  'confirm.email_change': 'Bestätigen Sie {email} als E‑Mail-Adresse Ihres Kontos bei {name}.',
  'confirm.email_change-button': 'E‑Mail-Adresse bestätigen',

  'confirm.number': 'Geben Sie die Zahl aus dem Fenster ein, in dem Sie diese E‑Mail angefordert haben.',
  'confirm.number-device':
    'Geben Sie die Zahl aus dem Fenster ein, in dem Sie diese E‑Mail angefordert haben: {browser} auf {system}.',
  'confirm.number-button': 'Bestätigen',
  'confirm.number-warning':
    'Wenn Sie diese E‑Mail nicht angefordert haben, schließen Sie diese Seite. Geben Sie nie eine Zahl ein, die Ihnen jemand sendet.',
  'confirm.canceled':
    'Die Zahl wurde zu oft falsch eingegeben. Geben Sie in dem Fenster, in dem Sie die E‑Mail angefordert haben, den Code aus der E‑Mail ein oder senden Sie einen neuen.',
  'confirm.done':
    'Gehen Sie zurück zu dem Browser, in dem Sie begonnen haben. Die Seite dort fährt automatisch fort.',
  'confirm.closed': 'Wenn Sie jene Seite geschlossen haben, melden Sie sich stattdessen auf diesem Gerät an.',
  'confirm.sign-in': 'Auf diesem Gerät anmelden',
  'confirm.number-link': 'Dieser Link gilt für {email} bei {name}.',
  'unlocked.password': 'Neues Passwort wählen',
  'page.link-expired-invite': 'Diese Einladung wurde bereits verwendet oder ist abgelaufen',
  'link-expired.invite':
    'Wenn Sie bereits beigetreten sind, melden Sie sich an. Andernfalls lassen Sie sich einen Code per E‑Mail senden oder bitten Sie um eine neue Einladung.',
  'field.number': 'Zahl im anderen Fenster',
  'field.number-wrong': 'Die Zahl ist falsch. Prüfen Sie das andere Fenster und versuchen Sie es erneut.',

  'page.cancel-change': 'Änderung der E‑Mail-Adresse abbrechen?',
  'page.change-canceled': 'Änderung abgebrochen',
  'page.email-changed': 'E‑Mail-Adresse geändert',
  'cancel-change.text':
    'Jemand möchte die E‑Mail-Adresse Ihres Kontos ändern. Wenn Sie das nicht waren, brechen Sie die Änderung ab.',
  'cancel-change.to':
    'Jemand möchte die E‑Mail-Adresse Ihres Kontos in {email} ändern. Wenn Sie das nicht waren, brechen Sie die Änderung ab.',
  'cancel-change.button': 'Änderung abbrechen',
  'change-canceled.text':
    'Ihre E‑Mail-Adresse bleibt gleich. Wenn Sie die Änderung nicht angefordert haben, wählen Sie jetzt ein neues Passwort. Sie werden überall sonst abgemeldet.',
  'change-canceled.password': 'Neues Passwort wählen',
  'email-changed.text':
    'Die neue E‑Mail-Adresse Ihres Kontos ist bestätigt. Sie können dieses Fenster schließen.',

  'page.remove-factors': 'Zwei-Schritt-Verifizierung entfernen?',
  'page.remove-factors-done': 'Entfernung geplant',
  'remove-factors.text':
    'Wenn Sie bestätigen, wird die Zwei-Schritt-Verifizierung am {when} vom Konto {email} entfernt. Danach melden Sie sich ohne zweiten Schritt an.',
  'remove-factors.found':
    'Wenn Sie Ihren zweiten Schritt vorher wieder verwenden können, melden Sie sich damit an, um die Entfernung abzubrechen.',
  'remove-factors.button': 'Entfernung bestätigen',
  'remove-factors.not-me':
    'Wenn Sie diese Entfernung nicht beantragt haben, schließen Sie diese Seite. Jemand kennt Ihr Passwort, wählen Sie daher ein neues.',
  'remove-factors-done.text':
    'Die Zwei-Schritt-Verifizierung wird am {when} entfernt. Wir senden Ihnen eine E‑Mail, sobald das geschehen ist. Sie können diese Seite schließen.',
  'remove-factors-expired.text':
    'Der Link wurde ersetzt oder ist abgelaufen, oder der Antrag wurde abgebrochen. Um die Entfernung erneut zu beantragen, melden Sie sich an und wählen Sie „Ich kann meinen zweiten Schritt nicht verwenden“.',
  'page.not-me': 'Schützen Sie Ihr Konto',
  'not-me.new_device': 'Am {when} wurde Ihr Konto für eine Anmeldung auf einem neuen Gerät verwendet.',
  'not-me.password_set': 'Am {when} wurde ein Passwort für Ihr Konto festgelegt.',
  'not-me.password_changed': 'Am {when} wurde Ihr Passwort geändert.',
  'not-me.email_changed': 'Am {when} wurde Ihre E‑Mail-Adresse geändert.',
  'not-me.phone_changed': 'Am {when} wurde Ihre Telefonnummer geändert.',
  'not-me.factor_added': 'Am {when} wurde Ihrem Konto eine Verifizierungsmethode hinzugefügt.',
  'not-me.factor_removed': 'Am {when} wurde eine Verifizierungsmethode aus Ihrem Konto entfernt.',
  'not-me.factor_removal_requested':
    'Am {when} wurde für Ihr Konto die Entfernung der Zwei-Schritt-Verifizierung beantragt.',
  'not-me.factors_reset': 'Am {when} wurde die Zwei-Schritt-Verifizierung aus Ihrem Konto entfernt.',
  'not-me.recovery_code_used': 'Am {when} wurde ein Wiederherstellungscode für Ihr Konto verwendet.',
  'not-me.passkey_added': 'Am {when} wurde Ihrem Konto ein Passkey hinzugefügt.',
  'not-me.identity_linked': 'Am {when} wurde Ihrem Konto eine Anmeldemöglichkeit hinzugefügt.',
  'not-me.identity_unlinked': 'Am {when} wurde eine Anmeldemöglichkeit aus Ihrem Konto entfernt.',
  'not-me.app_connected': 'Am {when} wurde eine App mit Ihrem Konto verbunden.',
  'not-me.api_key_created': 'Am {when} wurde für Ihr Konto ein API-Schlüssel erstellt.',
  'not-me.then': 'Wenn Sie „Das war ich nicht“ auswählen:',
  'not-me.new_device-undo': 'Das neue Gerät wird abgemeldet und nicht mehr wiedererkannt.',
  'not-me.password_changed-undo': 'Das aktuelle Passwort funktioniert nicht mehr.',
  'not-me.email_changed-undo': 'Ihre E‑Mail-Adresse wird wieder in {email} geändert.',
  'not-me.phone_changed-undo': 'Die vorherige Telefonnummer wird wiederhergestellt.',
  'not-me.factor_added-undo': 'Die neue Verifizierungsmethode wird entfernt.',
  'not-me.factor_removed-undo':
    'Die entfernte Verifizierungsmethode kann nicht wiederhergestellt werden. Fügen Sie nach der erneuten Anmeldung eine neue hinzu.',
  'not-me.factor_removal_requested-undo':
    'Die Entfernung wird abgebrochen, und die Zwei-Schritt-Verifizierung bleibt aktiviert.',
  'not-me.factors_reset-undo':
    'Die entfernten Verifizierungsmethoden können nicht wiederhergestellt werden. Fügen Sie nach der erneuten Anmeldung eine neue hinzu.',
  'not-me.recovery_code_used-undo':
    'Der verwendete Wiederherstellungscode bleibt ungültig. Die anderen funktionieren weiterhin.',
  'not-me.passkey_added-undo': 'Der neue Passkey wird entfernt.',
  'not-me.identity_linked-undo': 'Die neue Anmeldemöglichkeit wird entfernt.',
  'not-me.identity_unlinked-undo':
    'Die entfernte Anmeldemöglichkeit kann nicht wiederhergestellt werden. Fügen Sie sie nach der Anmeldung wieder hinzu.',
  'not-me.app_connected-undo': 'Die App verliert den Zugriff auf Ihr Konto.',
  'not-me.api_key_created-undo': 'Alle API-Schlüssel Ihres Kontos werden widerrufen.',
  'not-me.later': 'Auch diese späteren Änderungen werden rückgängig gemacht:',
  'not-me.sign-out':
    'Sie werden auf allen Geräten und in allen verbundenen Apps abgemeldet, und Ihr Passwort funktioniert nicht mehr.',
  'not-me.back-in':
    'Um sich wieder anzumelden, geben Sie einen Code ein, den wir an {email} senden, und wählen Sie ein neues Passwort.',
  'not-me.device': 'Gerät: {browser} auf {system}',
  'not-me.later-password_set': 'Passwort festgelegt, {when}',
  'not-me.later-password_changed': 'Passwort geändert, {when}',
  'not-me.later-email_changed': 'E‑Mail-Adresse geändert, {when}',
  'not-me.later-phone_changed': 'Telefonnummer geändert, {when}',
  'not-me.later-factor_added': 'Verifizierungsmethode hinzugefügt, {when}',
  'not-me.later-recovery_codes_created': 'Wiederherstellungscodes erstellt, {when}',
  'not-me.later-passkey_added': 'Passkey hinzugefügt, {when}',
  'not-me.later-identity_linked': 'Anmeldemöglichkeit hinzugefügt, {when}',
  'not-me.later-app_connected': 'App verbunden, {when}',
  'not-me.later-api_key_created': 'API-Schlüssel erstellt, {when}',
  'not-me.later-device': ', {browser} auf {system}',
  'page.not-me-secured': 'Ihr Konto ist bereits geschützt',
  'not-me-secured.text':
    'Sie haben Ihr Konto am {when} geschützt. Die Änderung in dieser E‑Mail ist nicht mehr gültig, daher brauchen Sie diesen Link nicht.',
  'not-me-secured.help':
    'Wenn Ihnen noch etwas unbekannt vorkommt, wählen Sie ein neues Passwort. Sie werden überall sonst abgemeldet.',
  'not-me-expired.text':
    'Der Link in diesem Sicherheitshinweis funktioniert nicht mehr. Wenn Ihnen noch etwas unbekannt vorkommt, wählen Sie ein neues Passwort. Sie werden überall sonst abgemeldet.',
  'not-me.button': 'Das war ich nicht',
  'not-me.was-me': 'Wenn Sie das waren, können Sie diese Seite schließen. Es wird nichts geändert.',
  'page.unlock': 'Anmeldung entsperren',
  'unlock.text':
    'Die Anmeldung in Ihrem Konto ist nach zu vielen falschen Passwörtern oder Codes pausiert. Wenn Sie das waren, entsperren Sie die Anmeldung.',
  'unlock.button': 'Anmeldung entsperren',
  'not-me.was-me-not':
    'Wenn Sie nicht versucht haben, sich anzumelden, schließen Sie diese Seite. Ihr Konto bleibt geschützt.',
  'page.unlocked': 'Die Anmeldung ist entsperrt',
  'page.unlocked-before': 'Die Anmeldung ist bereits entsperrt',
  'unlocked.text':
    'Sie können sich wieder anmelden. Wenn Sie Ihr Passwort nicht mehr wissen, wählen Sie jetzt ein neues.',
  'unlocked.button': 'Anmelden',
  'page.secured': 'Ihr Konto ist geschützt',
  'secured.text':
    'Die Änderung wurde rückgängig gemacht, und Sie wurden überall abgemeldet. Wählen Sie ein neues Passwort, um sich wieder anzumelden.',
  'secured.button': 'Neues Passwort wählen',
  'secured.factor':
    'Aktivieren Sie nach der Anmeldung auf Ihrer Kontoseite die Zwei-Schritt-Verifizierung, falls sie verfügbar ist. Sie schützt Ihr Konto, selbst wenn jemand Ihr Passwort stiehlt.',
  'secured.has-factor':
    'Die Zwei-Schritt-Verifizierung bleibt aktiviert, daher brauchen Sie auch Ihren zweiten Schritt.',
  'secured.sso':
    'Sie wurden überall abgemeldet. Melden Sie sich wieder über Ihre Organisation an und informieren Sie deren Administratoren.',
  'secured.sso-button': 'Mit SSO anmelden',
  'secured.none':
    'Sie wurden überall abgemeldet, und Ihr Passwort funktioniert nicht mehr. Ihre frühere E‑Mail-Adresse gehört jetzt zu einem anderen Konto. Um sich wieder anzumelden, wenden Sie sich an den Support.',

  'field.code-empty': 'Geben Sie Ihren Code ein.',

  'plain.sent':
    'Wir haben eine E‑Mail an {email} gesendet. Wenn Sie ein Konto haben, geben Sie den Code aus der E‑Mail ein oder öffnen Sie ihren Link. Andernfalls erklärt die E‑Mail, was Sie tun können.',
  'plain.sent-confirm':
    'Wir haben einen Code an {email} gesendet. Geben Sie ihn ein, um Ihre Adresse zu bestätigen, oder öffnen Sie den Link in der E‑Mail.',
  'page.accounts': 'Konto auswählen',
  'accounts.continue': 'Als {name} fortfahren',
  'accounts.guest': 'Als Gast fortfahren',
  'accounts.current': 'Angemeldet (zuletzt verwendet)',
  'accounts.one-out':
    'Sie sind hier von diesem Konto abgemeldet. In Apps, die es verwenden, sind Sie möglicherweise noch angemeldet.',
  'accounts.all-out':
    'Sie sind von allen Konten abgemeldet. In Apps, die sie verwenden, sind Sie möglicherweise noch angemeldet.',
  'accounts.manage': 'Zu Ihrem Konto',
  'accounts.in': 'Angemeldet',
  'accounts.out': 'Abgemeldet',
  'accounts.sign-out': 'Abmelden',
  'accounts.forget': 'Aus diesem Browser entfernen',
  'accounts.guest-name': 'Gastkonto',
  'accounts.save-guest': 'Um das Konto zu behalten, fahren Sie als Gast fort und sichern Sie es.',
  'accounts.add': 'Anderes Konto verwenden',
  'accounts.sign-out-all': 'Von allen Konten abmelden',
  'page.with': 'Mit der Anmeldung fortfahren?',
  'with.text': 'Sie sind einem Link auf einer anderen Website gefolgt, um sich mit {connection} anzumelden.',
  'with.button': 'Weiter zu {connection}',
  'with.warning':
    'Wenn Sie das nicht erwartet haben, schließen Sie diese Seite. Sie werden nicht angemeldet.',
  'plain.sso': 'Um sich als {email} anzumelden, verwenden Sie SSO.',
  'plain.sso-button': 'Weiter mit SSO',
  'plain.join': 'Wählen Sie das Passwort, mit dem Sie sich ab jetzt anmelden.',
  'plain.number': 'Wenn Sie den Link auf einem anderen Gerät öffnen, geben Sie dort die Zahl {number} ein.',
  'plain.check': 'Ich habe den Link auf einem anderen Gerät bestätigt',
  'plain.unsaved':
    'Ihr neues Passwort wurde noch nicht gespeichert. Bestätigen Sie zuerst, dass Sie es sind, und geben Sie das neue Passwort dann noch einmal ein.',
  'plain.unconfirmed': 'Der Link wurde noch nicht auf einem anderen Gerät bestätigt.',
  'page.refused-app': 'Diese App kann Sie nicht anmelden',
  'refused.redirect_not_allowed':
    'Die Adresse der App ist hier nicht zugelassen. Wenden Sie sich an den Support der App.',
  'refused.redirect_not_allowed-hint':
    'Fügen Sie {url} zu additional_redirect_urls im Abschnitt [auth] von supabase/config.toml hinzu oder verwenden Sie die Adresse in site_url.',
  'refused.pkce_required':
    'Die Anmeldeanfrage der App ist unvollständig. Wenden Sie sich an den Support der App.',
  'refused.pkce_required-hint':
    'Senden Sie code_challenge und code_challenge_method=s256 zusammen mit redirect_to={url}. Um Sitzungen stattdessen im URL-Fragment zurückzugeben, setzen Sie implicit_return = true im Abschnitt [account] von supabase/plinth.toml.',
  'refused.bad_code_challenge':
    'Die Anmeldeanfrage der App ist unvollständig. Wenden Sie sich an den Support der App.',
  'refused.bad_code_challenge-hint':
    'code_challenge muss aus 43 bis 128 Zeichen aus A-Z a-z 0-9 . _ ~ - bestehen, und code_challenge_method muss s256 oder plain sein.',
  'plain.mfa': 'Öffnen Sie Ihre Authenticator-App und geben Sie den Code für {email} bei {name} ein.',
  'plain.mfa-other':
    'Um einen anderen zweiten Schritt zu verwenden, oder wenn Sie Ihren verloren und keine Wiederherstellungscodes haben, aktivieren Sie JavaScript und laden Sie diese Seite neu.',
  'plain.mfa-app': 'Authenticator-App verwenden',
  'plain.as': 'Angemeldet als {who}.',
  'plain.as-guest': 'Sie verwenden ein Gastkonto.',
  'plain.continue': 'Weiter zu {host}',
  'plain.continue-hint': 'Sie werden gleich weitergeleitet. Wenn nichts passiert, verwenden Sie den Link.',
  'plain.account': 'Ihr Konto',
  'plain.sign-out': 'Abmelden',
  'plain.connected': 'Verknüpfte Konten',
  'plain.needs-scripts':
    'Um Ihre Kontoeinstellungen zu ändern, aktivieren Sie JavaScript und laden Sie diese Seite neu.',
  'plain.back': 'Zurück zu {name}',
  'plain.save-guest':
    'Um Ihr Konto stattdessen zu sichern, aktivieren Sie JavaScript und öffnen Sie Ihr Konto.',
  'plain.refused':
    'Die Seite war möglicherweise zu lange geöffnet, oder das Formular kam nicht von dieser Website. Es wurde nichts geändert. Öffnen Sie die Seite erneut und senden Sie das Formular noch einmal.',
  'plain.failed': 'Bei uns ist ein Fehler aufgetreten. Versuchen Sie es gleich noch einmal.',
  'plain.limited':
    'Aus Ihrem Netzwerk kamen zu viele Anfragen. Es wurde nichts geändert. Warten Sie einen Moment und öffnen Sie den Link dann erneut.',

  'page.organizations': 'Organisationen',
  'page.invitation-open': 'Sie sind eingeladen',
  'page.invitation-other': 'Diese Einladung gilt für eine andere Adresse',
  'page.invitation-unverified': 'Bestätigen Sie zuerst Ihre E‑Mail-Adresse',
  'page.invitation-expired': 'Diese Einladung ist abgelaufen',
  'page.invitation-used': 'Diese Einladung wurde bereits verwendet',
  'page.invitation-none': 'Einladung nicht gefunden',
  'page.invitation-member': 'Sie sind bereits Mitglied',
  'organizations.guest':
    'Gäste können Organisationen nicht nutzen. Sichern Sie Ihr Konto oder melden Sie sich zuerst an.',
  'field.organization-missing': 'Geben Sie einen Namen für die Organisation ein.',
  'field.slug-missing': 'Geben Sie den Kurznamen der Organisation ein.',
  'organizations.who': 'Angemeldet als {who}',
  'organizations.mine': 'Ihre Organisationen',
  'organizations.invitations': 'Einladungen für Sie',
  'organizations.requests': 'Ihre Beitrittsanfragen',
  'organizations.waiting': 'Antwort steht aus',
  'organizations.withdraw': 'Zurückziehen',
  'organizations.as': 'Als {role}',
  'organizations.open-mail': 'Öffnen Sie zum Annehmen den Link in der E‑Mail.',
  'organizations.current': '{role} · Aktuelle Organisation',
  'organizations.switch': 'Wechseln',
  'organizations.none':
    'Sie sind noch kein Mitglied einer Organisation. Erstellen Sie eine oder bitten Sie den Administrator einer Organisation um eine Einladung.',
  'organizations.available': 'Organisationen, denen Sie beitreten können',
  'organizations.available-why': 'Für Personen mit einer Adresse bei {domain}',
  'organizations.available-join': 'Beitreten',
  'organizations.available-request': 'Beitritt anfragen',
  'field.organization-closed':
    'Sie können dieser Organisation mit Ihrer E‑Mail-Adresse nicht beitreten. Bitten Sie ein Mitglied um eine Einladung.',
  'organizations.create-title': 'Organisation erstellen',
  'organizations.name': 'Name der Organisation',
  'organizations.create': 'Organisation erstellen',
  'organizations.ask-title': 'Beitritt zu einer Organisation anfragen',
  'organizations.slug': 'Kurzname',
  'organizations.slug-hint': 'Den Kurznamen erhalten Sie von einem Mitglied, zum Beispiel acme.',
  'organizations.message': 'Nachricht an die Administratoren (optional)',
  'organizations.ask': 'Anfrage senden',
  'organizations.created': 'Organisation erstellt. Sie haben zu ihr gewechselt.',
  'organizations.switched': 'Sie haben zu einer anderen Organisation gewechselt.',
  'organizations.joined': 'Sie sind der Organisation beigetreten.',
  'organizations.declined': 'Einladung abgelehnt.',
  'organizations.requested':
    'Anfrage gesendet. Die Organisation erscheint hier, sobald ein Administrator zustimmt.',
  'organizations.withdrawn': 'Anfrage zurückgezogen.',
  'organizations.left': 'Sie haben die Organisation verlassen.',
  'organizations.deleted': 'Organisation gelöscht.',
  'invitation.text': 'Sie wurden eingeladen, {organization} beizutreten. Ihre Rolle: {role}.',
  'invitation.join': '{organization} beitreten',
  'invitation.decline': 'Ablehnen',
  'invitation.other': 'Anderes Konto verwenden',
  'invitation.sign-in':
    'Um die Einladung anzunehmen, melden Sie sich als {email} an oder erstellen Sie ein Konto mit dieser Adresse.',
  'invitation.sign-in-link': 'Um die Einladung anzunehmen, melden Sie sich an oder erstellen Sie ein Konto.',
  'invitation.wrong': 'Die Einladung gilt für {email}. Sie sind als {who} angemeldet.',
  'invitation.unverified':
    'Die Einladung gilt für {email}, und diese Adresse Ihres Kontos ist noch nicht bestätigt.',
  'invitation.expired':
    'Bitten Sie die Person, die Sie zu {organization} eingeladen hat, um eine neue Einladung.',
  'invitation.used':
    'Wenn Sie {organization} bereits beigetreten sind, öffnen Sie Ihre Organisationen. Andernfalls bitten Sie um eine neue Einladung.',
  'invitation.none':
    'Der Link ist unvollständig, oder die Einladung wurde zurückgezogen. Bitten Sie um eine neue Einladung.',
  'invitation.member': 'Ihr Konto ist bereits Mitglied von {organization}.',
  'invitation.to-list': 'Ihre Organisationen',
};
