export const messages = {
  'wallet.ethereum': 'Ethereum-Wallet',
  'wallet.solana': 'Solana-Wallet',
  'wallet.none':
    'In diesem Browser wurde keine Wallet gefunden. Installieren Sie eine und laden Sie die Seite neu, oder öffnen Sie die Seite im Browser Ihrer Wallet.',

  'join.intro': 'Sie melden sich bei {name} als {email} an.',
  'join.passkey': 'Stattdessen Passkey erstellen',

  'page.two-step-prove': 'Zweiten Schritt einrichten',
  'page.two-step-codes': 'Wiederherstellungscodes speichern',
  'two-step.progress': 'Schritt {step} von {steps}',
  'two-step.intro': '{name} verlangt bei der Anmeldung einen zweiten Schritt. Wählen Sie einen aus.',
  'two-step.totp':
    'Eine App auf Ihrem Handy, zum Beispiel ein Passwortmanager, zeigt einen Code an, auch offline.',
  'two-step.key':
    'Ein USB- oder NFC-Schlüssel oder die Entsperrung Ihres Geräts per Fingerabdruck oder Gesicht.',
  'two-step.phone': 'Wir senden Ihnen jedes Mal einen Code per SMS.',
  'two-step.none':
    'In diesem Browser kann kein zweiter Schritt eingerichtet werden. Öffnen Sie diese Seite in einem anderen Browser oder auf einem anderen Gerät.',
  'mfa.again': 'Um Ihre Anmeldemöglichkeiten zu ändern, bestätigen Sie, dass Sie es sind.',
  'mfa.unusable':
    'Ihr Sicherheitsschlüssel kann unter dieser Adresse nicht verwendet werden. Verwenden Sie einen anderen Browser oder ein anderes Gerät.',
  'mfa.use-totp': 'Authenticator-App verwenden ({name})',
  'mfa.use-phone': 'Code per SMS an {name} senden',
  'mfa.use-key': 'Sicherheitsschlüssel verwenden ({name})',
  'page.lost': 'Zugang zum Konto wiederherstellen',
  'lost.open': 'Ich kann meinen zweiten Schritt nicht verwenden',
  'lost.intro':
    'Auch wenn Sie Ihr Handy, Ihre Authenticator-App oder Ihren Sicherheitsschlüssel verloren haben, können Sie sich noch anmelden.',
  'lost.no-codes': 'Sie haben keine Wiederherstellungscodes.',
  'lost.removal':
    'Sie können beantragen, dass die Zwei-Schritt-Verifizierung entfernt wird. Bestätigen Sie den Antrag in der E‑Mail, die wir an {email} senden, und warten Sie dann {wait}. In dieser Zeit kann der Inhaber des Kontos die Entfernung stoppen.',
  'lost.hours': '{count, plural, one {# Stunde} other {# Stunden}}',
  'lost.minutes': '{count, plural, one {# Minute} other {# Minuten}}',
  'lost.request': 'Entfernung beantragen',
  'lost.requested':
    'Wir haben einen Link an {email} gesendet. Öffnen Sie ihn innerhalb einer Stunde, um den Antrag zu bestätigen.',
  'lost.resend': 'Neuen Link senden',
  'lost.waiting':
    'Die Zwei-Schritt-Verifizierung wird am {when} entfernt. Danach können Sie sich ohne zweiten Schritt anmelden. Wenn Sie sie behalten möchten, melden Sie sich vorher mit Ihrem zweiten Schritt an.',
  'lost.cancel': 'Entfernung abbrechen',
  'lost.other-sign-in':
    'Um die Entfernung der Zwei-Schritt-Verifizierung zu beantragen, melden Sie sich mit Ihrem Passwort oder über einen Anbieter an. Außerdem bestätigen Sie den Antrag per E‑Mail.',
  'lost.recent':
    'Ihr Passwort, Ihre Kontaktdaten oder Ihre Anmeldemöglichkeiten wurden vor Kurzem geändert. Zu Ihrer Sicherheit können Sie die Entfernung der Zwei-Schritt-Verifizierung erst {wait} nach der letzten Änderung beantragen.',
  'lost.support':
    'Bitten Sie den Support von {name}, die Zwei-Schritt-Verifizierung zurückzusetzen. Er prüft, ob das Konto Ihnen gehört.',
  'lost.support-button': 'Hilfe erhalten',
  'lost.operator':
    'Bitten Sie die Betreiber von {host}, die Zwei-Schritt-Verifizierung zurückzusetzen. Sie prüfen, ob das Konto Ihnen gehört.',
  'lost.back': 'Zurück',
  'mfa.use-recovery': 'Wiederherstellungscode verwenden',
  'mfa.phone-intro': 'Wir senden einen Code per SMS an {name}.',
  'mfa.phone-send': 'Code senden',
  'mfa.phone-sent': 'Wir haben einen {length}-stelligen Code per SMS an {name} gesendet.',
  'mfa.phone-wrong': 'Der Code ist falsch oder abgelaufen. Prüfen Sie ihn oder fordern Sie einen neuen an.',
  'mfa.key-intro':
    'Schließen Sie {name} an oder halten Sie den Schlüssel an Ihr Gerät, und folgen Sie den Anweisungen Ihres Browsers.',
  'mfa.key-submit': 'Sicherheitsschlüssel verwenden',
  'page.recovery-used': 'Ersetzen Sie Ihren verlorenen zweiten Schritt',
  'recovery-used.text':
    'Sie haben einen Wiederherstellungscode verwendet. {left, plural, one {# Code ist übrig.} other {# Codes sind übrig.}} Entfernen Sie den verlorenen zweiten Schritt und richten Sie einen neuen ein.',
  'recovery-used.replace': 'Zu Ihrem Konto',
  'recovery-used.later': 'Nicht jetzt, weiter',
  'mfa.recovery-intro':
    'Geben Sie einen Ihrer gespeicherten Wiederherstellungscodes ein. Jeder Code funktioniert nur einmal.',
  'mfa.recovery-code': 'Wiederherstellungscode',
  'mfa.recovery-missing': 'Geben Sie einen Wiederherstellungscode ein.',
  'mfa.recovery-wrong':
    'Der Code ist falsch oder wurde bereits verwendet. Prüfen Sie ihn oder geben Sie einen anderen ein.',

  'factor.intro':
    'Die Zwei-Schritt-Verifizierung schützt Ihr Konto, selbst wenn jemand Ihr Passwort stiehlt.',
  'factor.phone': 'Telefon',
  'factor.webauthn': 'Sicherheitsschlüssel',
  'factor.add-phone': 'Telefon hinzufügen',
  'factor.add-key': 'Sicherheitsschlüssel hinzufügen',
  'factor.key-name': 'Name des Schlüssels',
  'factor.key-hint': 'Wählen Sie einen Namen, den Sie später wiedererkennen.',
  'factor.ready':
    'Die Zwei-Schritt-Verifizierung ist aktiviert. Bei der Anmeldung fragen wir nach Ihrem zweiten Schritt.',
  'factor.removed': 'Zweiter Schritt entfernt.',
  'factor.remove-what': 'Zweiten Schritt {name} entfernen',
  'factor.remove-ask': 'Zweiten Schritt {name} entfernen? Er funktioniert dann sofort nicht mehr.',
  'factor.required':
    'Dieser Dienst erfordert die Zwei-Schritt-Verifizierung. Richten Sie sie ein, um mit der App fortzufahren.',
  'factor.last':
    'Dieser Dienst erfordert die Zwei-Schritt-Verifizierung. Fügen Sie zuerst einen anderen zweiten Schritt hinzu, bevor Sie diesen entfernen.',

  'recovery.title': 'Wiederherstellungscodes',
  'recovery.codes': 'Wiederherstellungscodes',
  'recovery.intro':
    'Verwenden Sie einen Wiederherstellungscode, wenn Sie Ihr Handy oder Ihren Sicherheitsschlüssel verlieren. Jeder Code funktioniert nur einmal.',
  'recovery.none': 'Noch keine Wiederherstellungscodes',
  'recovery.left': 'Noch {remaining, plural, one {# Code} other {# Codes}} von {total} übrig.',
  'recovery.few':
    'Ihre Codes sind fast aufgebraucht. Wenn Sie neue erstellen, funktionieren die alten nicht mehr.',
  'recovery.make': 'Wiederherstellungscodes erstellen',
  'recovery.remake': 'Neue Codes erstellen',
  'recovery.remake-ask':
    'Wiederherstellungscodes ersetzen? Die gespeicherten Codes funktionieren dann nicht mehr.',
  'recovery.replace': 'Codes ersetzen',
  'recovery.shown-once':
    'Bewahren Sie diese Codes an einem sicheren Ort auf. Sie werden nicht noch einmal angezeigt.',
  'recovery.download': 'Herunterladen',
  'recovery.print': 'Drucken',
  'recovery.last-step':
    'Letzter Schritt: Erstellen Sie Wiederherstellungscodes. Sie brauchen einen, wenn Sie Ihr Gerät verlieren.',
  'recovery.kept': 'Ich habe diese Codes gespeichert',

  'passkey.title': 'Passkeys',
  'passkey.intro':
    'Melden Sie sich mit Fingerabdruck, Gesicht oder Bildschirmsperre an. Sie brauchen kein Passwort.',
  'passkey.none': 'Noch keine Passkeys',
  'passkey.add': 'Passkey hinzufügen',
  'passkey.ready': 'Passkey hinzugefügt. Sie können sich jetzt damit anmelden.',
  'passkey.unsupported': 'Dieser Browser kann unter dieser Adresse keine Passkeys erstellen.',
  'passkey.unnamed': 'Passkey',
  'passkey.used': 'Zuletzt verwendet: {when}',
  'passkey.rename': 'Umbenennen',
  'passkey.rename-what': '{name} umbenennen',
  'passkey.renamed': 'In {name} umbenannt.',
  'passkey.name': 'Name',
  'passkey.name-missing': 'Geben Sie einen Namen ein.',
  'passkey.save': 'Speichern',
  'passkey.remove-ask': '{name} entfernen? Sie können sich dann nicht mehr damit anmelden.',
  'passkey.removed': 'Passkey entfernt. Löschen Sie ihn auch auf Ihrem Gerät.',

  'identity.title': 'Verknüpfte Konten',
  'identity.intro': 'Sie können sich mit jedem dieser Konten anmelden.',
  'identity.link': '{name} verknüpfen',
  'identity.linked': '{name} verknüpft. Sie können sich jetzt damit anmelden.',
  'identity.unlink': 'Verknüpfung aufheben',
  'identity.unlink-ask': 'Verknüpfung mit {name} aufheben? Sie können sich dann nicht mehr damit anmelden.',
  'identity.unlink-ask-address':
    'Verknüpfung mit {name} aufheben? Sie können sich dann nicht mehr damit anmelden. Mit {email} können Sie sich weiterhin anmelden.',
  'identity.unlinked': 'Verknüpfung mit {name} aufgehoben.',
  'identity.last': 'Um diese Verknüpfung aufzuheben, verknüpfen Sie zuerst ein anderes Konto.',
  'identity.kept-by-project': 'Bei diesem Dienst können Sie diese Verknüpfung nicht aufheben.',
  'identity.since': 'Verknüpft: {when}',
  'identity.organization': 'Ihre Organisation',
};
