/**
 * Deutsch. Anrede: Sie. Anführungszeichen: „…“.
 *
 * Begriffe: sign in = anmelden, sign out = abmelden, account = Konto, two-step verification =
 * Zwei-Schritt-Verifizierung, second step = zweiter Schritt, recovery code = Wiederherstellungscode, passkey = Passkey,
 * security key = Sicherheitsschlüssel, authenticator app = Authenticator-App, wallet = Wallet, support = Support.
 */
export const messages = {
  'page.sign-in': 'Anmelden',
  'page.password': 'Passwort eingeben',
  'page.welcome-back': 'Willkommen zurück',
  'page.sign-up': 'Konto erstellen',
  'page.code': 'Code eingeben',
  'page.code-ask': 'Mit einem Code anmelden',
  'page.recover': 'Passwort zurücksetzen',
  'page.sso': 'Mit SSO anmelden',
  'page.mfa': 'Bestätigen Sie, dass Sie es sind',
  'page.two-step': 'Zwei-Schritt-Verifizierung einrichten',
  'page.new-password': 'Neues Passwort wählen',
  'page.join': 'Wie möchten Sie sich anmelden?',
  'page.security': 'Ihr Konto',
  'page.guest': 'Als Gast fortfahren',
  'page.upgrade': 'Konto sichern',
  'page.organization': 'Organisation',
  'page.consent': 'Zugriff erlauben?',
  'page.confirm': 'E‑Mail-Adresse bestätigen',
  'page.confirm-other': 'Prüfen Sie Ihr anderes Postfach',
  'page.continue': 'Sie werden weitergeleitet',
  'page.link-expired': 'Dieser Link ist abgelaufen',
  'page.signed-out': 'Sie sind abgemeldet',
  'page.still-in': 'Sie sind noch in Ihrem Konto angemeldet',
  'page.others-in': 'Sie sind noch in einem anderen Konto angemeldet',
  'page.error': 'Seite nicht gefunden',
  'page.broken': 'Diese Seite konnte nicht geladen werden',
  'page.title': '{page} · {name}',

  'field.email': 'E‑Mail-Adresse',
  'field.your-email': 'Ihre E‑Mail-Adresse',
  'field.email-or-phone': 'E‑Mail-Adresse oder Telefonnummer',
  'field.email-or-phone-missing': 'Geben Sie Ihre E‑Mail-Adresse oder Telefonnummer ein.',
  'field.email-or-phone-wrong':
    'Geben Sie eine E‑Mail-Adresse wie name@example.com oder eine Telefonnummer mit Ländervorwahl wie +49 ein.',
  'field.phone': 'Telefonnummer',
  'field.phone-wrong': 'Geben Sie eine Telefonnummer mit Ländervorwahl ein, zum Beispiel +49.',
  'field.password': 'Passwort',
  'field.new-password': 'Neues Passwort',
  'field.current-password': 'Aktuelles Passwort',
  'field.code': 'Code',
  'field.factor-name': 'Gerätename',
  'field.factor-name-hint':
    'Wählen Sie einen Namen, den Sie später wiedererkennen, zum Beispiel „Mein Handy“.',
  'field.email-missing': 'Geben Sie Ihre E‑Mail-Adresse ein.',
  'field.email-wrong': 'Geben Sie eine E‑Mail-Adresse im Format name@example.com ein.',
  'field.password-missing': 'Geben Sie Ihr Passwort ein.',
  'field.password-weak': 'Ihr Passwort erfüllt die Anforderungen unten nicht.',
  'field.code-missing': 'Geben Sie Ihren {length}-stelligen Code ein.',
  'field.current-password-missing': 'Geben Sie Ihr aktuelles Passwort ein.',

  'form.retry-in': 'In {seconds, plural, one {# Sekunde} other {# Sekunden}} erneut versuchen',
  'form.retry-in-minutes': 'In {minutes, plural, one {# Minute} other {# Minuten}} erneut versuchen',
  'form.retry-now': 'Sie können es jetzt erneut versuchen.',

  'sign-in.to': 'um mit {host} fortzufahren',
  'sign-in.next': 'Weiter',
  'sign-in.others': 'Andere Anmeldemöglichkeiten',
  'sign-in.last-used': 'Zuletzt verwendet',
  'sign-in.submit': 'Anmelden',
  'sign-in.forgot': 'Passwort vergessen?',
  'sign-in.send-code': 'Anmeldecode per E‑Mail senden',
  'sign-in.with': 'Weiter mit {provider}',
  'sign-in.passkey': 'Mit einem Passkey anmelden',
  'sign-in.wallet': 'Mit einer Wallet anmelden',
  'sign-in.sso': 'Mit SSO anmelden',
  'sso.intro': 'Geben Sie Ihre geschäftliche E‑Mail-Adresse oder die Domain Ihrer Organisation ein.',
  'sso.domain': 'Geschäftliche E‑Mail-Adresse oder Domain',
  'sso.domain-hint': 'Zum Beispiel name@firma.de oder firma.de',
  'field.domain-wrong':
    'Geben Sie Ihre geschäftliche E‑Mail-Adresse oder deren Domain ein, also den Teil nach dem @.',
  'sso.submit': 'Weiter',
  'sso.other': 'Auf andere Weise anmelden',
  'sign-in.again': 'Melden Sie sich erneut an, um zu bestätigen, dass Sie es sind.',
  'sign-in.guest': 'Als Gast fortfahren',
  'sign-in.or': 'oder',
  'sign-in.new': 'Neu hier?',
  'sign-in.create': 'Konto erstellen',
  'sign-in.none': 'Die Anmeldung ist für dieses Projekt deaktiviert. Wenden Sie sich an den Administrator.',
  'sign-in.already': 'Sie sind als {who} angemeldet.',
  'sign-in.already-guest': 'Sie sind als Gast angemeldet.',
  'sign-in.continue': 'Weiter',
  'sign-in.continue-to': 'Weiter zu {host}',
  'sign-in.other': 'Anderes Konto verwenden',
  'ended.password_changed':
    'Sie wurden abgemeldet, weil Ihr Passwort geändert wurde. Wenn Sie das nicht waren, setzen Sie es zurück.',
  'ended.secured':
    'Zum Schutz dieses Kontos wurden Sie überall abgemeldet. Wenn es Ihr Konto ist, melden Sie sich mit Ihrem neuen Passwort an oder setzen Sie Ihr Passwort zurück.',
  'ended.factors_reset': 'Sie wurden abgemeldet, weil die Zwei-Schritt-Verifizierung entfernt wurde.',
  'ended.elsewhere': 'Sie wurden von einem anderen Gerät aus abgemeldet.',
  'ended.support': 'Sie wurden vom Support abgemeldet.',
  'ended.inactive': 'Sie wurden abgemeldet, weil Sie eine Zeit lang nicht aktiv waren.',
  'ended.expired': 'Sie wurden abgemeldet, weil Ihre Sitzung die maximale Dauer erreicht hat.',
  'ended.replaced':
    'Sie wurden abgemeldet, weil Sie sich an einem anderen Ort angemeldet haben. Es ist nur eine Sitzung erlaubt.',
  'ended.other':
    'Sie wurden hier oder auf einem anderen Gerät abgemeldet. Melden Sie sich erneut an, um fortzufahren.',

  'sign-up.unknown':
    'Zu dieser Adresse gibt es noch kein Konto. Erstellen Sie eines oder korrigieren Sie die Adresse, falls sie einen Tippfehler enthält.',
  'sign-up.submit': 'Konto erstellen',
  'sign-up.terms': 'Mit dem Erstellen eines Kontos stimmen Sie den <0>Nutzungsbedingungen</0> zu.',
  'sign-up.privacy': 'Mit dem Erstellen eines Kontos akzeptieren Sie die <1>Datenschutzerklärung</1>.',
  'sign-up.terms-and-privacy':
    'Mit dem Erstellen eines Kontos stimmen Sie den <0>Nutzungsbedingungen</0> und der <1>Datenschutzerklärung</1> zu.',
  'sign-up.phone': 'Stattdessen Telefonnummer verwenden',
  'sign-up.have': 'Sie haben bereits ein Konto?',
  'sign-up.sign-in': 'Anmelden',

  'password.change': 'Ändern',
  'password.rules': 'Ihr Passwort benötigt',
  'password.length': 'mindestens {count, plural, one {# Zeichen} other {# Zeichen}}',
  'password.letter': 'einen Buchstaben',
  'password.lower': 'einen Kleinbuchstaben',
  'password.upper': 'einen Großbuchstaben',
  'password.digit': 'eine Ziffer',
  'password.symbol': 'ein Sonderzeichen wie ! oder ?',
  'password.met': '(erfüllt)',
  'password.unmet': '(fehlt)',

  'code.sent':
    'Wir haben eine E‑Mail an {email} gesendet. Wenn Sie ein Konto haben, enthält sie einen {length}-stelligen Code. Andernfalls erklärt sie, was Sie tun können.',
  'code.sent-new-device':
    'Sie haben sich auf diesem Gerät noch nie angemeldet. Geben Sie zur Bestätigung den {length}-stelligen Code ein, den wir an {email} gesendet haben.',
  'code.sent-confirm':
    'Wir haben einen {length}-stelligen Code an {email} gesendet. Geben Sie ihn ein, um Ihre Adresse zu bestätigen.',
  'code.number':
    'Wenn Sie den Link in der E‑Mail auf einem anderen Gerät öffnen, geben Sie dort die Zahl {number} ein.',
  'code.canceled':
    'Der Link ist nicht mehr gültig, weil zu oft eine falsche Zahl eingegeben wurde. Geben Sie den Code aus der E‑Mail ein oder fordern Sie eine neue E‑Mail an.',
  'code.sent-phone': 'Wir haben einen {length}-stelligen Code per SMS an {phone} gesendet.',
  'code.phone-intro': 'Wir senden Ihnen einen Anmeldecode per SMS. Sie brauchen kein Passwort.',
  'code.submit': 'Weiter',
  'code.resend': 'Neuen Code senden',
  'code.resend-in': 'Neuen Code in {seconds} s senden',
  'code.resent': 'Wir haben einen neuen Code gesendet.',
  'code.other': 'Andere Adresse verwenden',
  'code.other-number': 'Andere Nummer verwenden',
  'code.back': 'Zurück zur Anmeldung',
  'code.send': 'Code senden',
  'code.recover-intro':
    'Wir senden Ihnen per E‑Mail einen Code, mit dem Sie ein neues Passwort wählen können.',
  'code.sign-in-intro': 'Wir senden Ihnen einen Anmeldecode per E‑Mail. Sie brauchen kein Passwort.',

  'mfa.intro':
    'Öffnen Sie Ihre Authenticator-App und geben Sie den {length}-stelligen Code für {account} bei {name} ein.',
  'mfa.unnamed': 'Authenticator-App',
  'mfa.submit': 'Bestätigen',
  'mfa.leave': 'Abmelden',

  'new-password.intro': 'Sie sind angemeldet. Wählen Sie das Passwort, das Sie ab jetzt verwenden.',
  'new-password.intro-as':
    'Sie sind als {email} angemeldet. Wählen Sie das Passwort, das Sie ab jetzt verwenden.',
  'new-password.others': 'Sie werden überall sonst abgemeldet.',
  'new-password.later': 'Nicht jetzt',
  'new-password.submit': 'Passwort speichern',

  'confirm.text': 'Bestätigen Sie {email}, um fortzufahren. Dieser Link funktioniert nur einmal.',
  'confirm.button': 'Weiter',
  'confirm-other.text':
    'Diese Adresse ist bestätigt. Öffnen Sie jetzt den Link, den wir an {email} gesendet haben.',
  'confirm-other.home': 'Zu Ihrem Konto',
  'continue.text': 'Wenn nichts passiert, verwenden Sie diesen Link.',
  'continue.link': 'Weiter zur App',
  'link-expired.text': 'Dieser Link wurde bereits verwendet oder ist abgelaufen. Fordern Sie einen neuen an.',
  'link-expired.sign-in': 'Anmelden',

  'signed-out.text': 'In Apps, die dieses Konto verwenden, sind Sie möglicherweise noch angemeldet.',
  'signed-out.alone': 'Sie können dieses Fenster schließen.',
  'signed-out.all':
    'Sie sind auch in den Apps in diesem Browser abgemeldet. Sie können dieses Fenster schließen.',
  'signed-out.apps': 'In diesem Browser sind Sie noch bei {apps} angemeldet.',
  'signed-out.others':
    'Sie sind von diesem Konto abgemeldet. In diesem Browser sind Sie noch als {accounts} angemeldet.',
  'signed-out.guest-in':
    'Sie sind von diesem Konto abgemeldet. In diesem Browser sind Sie noch als Gast angemeldet.',
  'signed-out.again': 'Erneut anmelden',

  'error.text': 'Prüfen Sie die Webadresse. Die Seite wurde möglicherweise verschoben oder gelöscht.',
  'error.home': 'Zu Ihrem Konto',
  'error.part_missing':
    'Ein Teil dieser Seite konnte nicht geladen werden. Prüfen Sie Ihre Verbindung und laden Sie die Seite neu.',
  'error.load-again': 'Neu laden',

  'footer.support': 'Hilfe',
  'footer.terms': 'Nutzungsbedingungen',
  'footer.privacy': 'Datenschutz',
};
