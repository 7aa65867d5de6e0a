export const messages = {
  'guest.intro':
    'Sie brauchen kein Konto. Bis Sie sich abmelden, haben Sie in diesem Browser Zugriff auf Ihre Daten. Um sie danach zu behalten, fügen Sie eine Anmeldemöglichkeit hinzu.',
  'guest.off': 'Gastkonten sind deaktiviert. Melden Sie sich an oder erstellen Sie ein Konto.',

  'guest.leave-title': 'Vom Gastkonto abmelden?',
  'guest.leave-text':
    'Bei einem Gastkonto können Sie sich nicht erneut anmelden. Wenn Sie sich abmelden, geht alles verloren, was Sie hier haben.',
  'guest.leave': 'Abmelden und Daten verlieren',
  'guest.leave-cancel': 'Abbrechen',

  'upgrade.intro':
    'Sie verwenden ein Gastkonto. Wählen Sie, wie Sie sich anmelden möchten. Alles, was Sie hier haben, bleibt erhalten.',
  'upgrade.submit': 'Mein Konto sichern',
  'upgrade.by-code': 'Stattdessen Code per E‑Mail senden',
  'upgrade.none': 'Gastkonten können hier nicht gesichert werden. Wenden Sie sich an den Support.',
  'upgrade.sent':
    'Wir haben einen {length}-stelligen Code an {email} gesendet. Geben Sie ihn hier ein oder öffnen Sie den Link in der E‑Mail. Bis dahin sind Sie weiterhin Gast.',
  'upgrade.if-yours': 'Wenn diese Adresse Ihnen gehört, melden Sie sich unten in Ihrem Konto an.',
  'upgrade.taken':
    'Ein anderes Konto verwendet diese E‑Mail-Adresse bereits. Wenn es Ihres ist, melden Sie sich unten an.',
  'upgrade.have': 'Sie haben bereits ein Konto?',
  'upgrade.with-hook':
    'Melden Sie sich dort an und übernehmen Sie Ihre Gastdaten. Wir fragen nach, bevor wir etwas übernehmen.',
  'upgrade.without-hook':
    'Ihre Gastdaten können nicht in ein anderes Konto übernommen werden. Wenn Sie sich in einem anderen Konto anmelden, verlieren Sie den Zugriff auf sie.',
  'upgrade.elsewhere': 'In meinem Konto anmelden',
  'upgrade.leave': 'Ohne Gastdaten anmelden',
  'upgrade.done': 'Ihre Daten sind unverändert. Melden Sie sich ab jetzt mit {who} an.',
  'upgrade.done-linked': 'Ihre Daten sind unverändert. Sie können sich nun jederzeit wieder anmelden.',
  'upgrade.member':
    'Sie sind als {who} angemeldet. Das ist kein Gastkonto, daher müssen Sie es nicht sichern.',
  'upgrade.change': 'Andere Adresse verwenden',
  'page.upgrade-member': 'Ihr Konto ist bereits gesichert',
  'page.upgrade-done': 'Konto gesichert',

  'page.hand-over': 'Gastdaten übernehmen?',
  'hand-over.text':
    'Sie sind als {who} angemeldet. Wenn Sie Ihre Gastdaten in dieses Konto übernehmen, wird das Gastkonto gelöscht.',
  'hand-over.submit': 'Gastdaten übernehmen',
  'hand-over.leave': 'Gastdaten verwerfen',
  'hand-over.leave-hint': 'Wenn Sie Ihre Gastdaten verwerfen, haben Sie keinen Zugriff mehr auf sie.',
  'hand-over.back': 'Zurück zum Gastkonto',
  'hand-over.fresh': 'Erneut anmelden',
  'hand-over.sign-in': 'Melden Sie sich in dem Konto an, in das Sie Ihre Gastdaten übernehmen möchten.',
  'page.hand-over-done': 'Gastdaten übernommen',
  'hand-over.done': 'Ihre Gastdaten gehören jetzt zu {who}.',

  'still-in.text':
    'Die App hat Sie abgemeldet. In diesem Browser sind Sie noch als {who} in Ihrem Konto angemeldet.',
  'still-in.guest':
    'Die App hat Sie abgemeldet. In diesem Browser sind Sie noch als Gast angemeldet. Wenn Sie sich hier abmelden, verlieren Sie den Zugriff auf das Gastkonto.',
  'still-in.submit': 'Vom Konto abmelden',
  'still-in.others': 'Sie sind außerdem als {accounts} angemeldet.',
  'signed-out.all-accounts': 'Von allen Konten abmelden',
  'signed-out.kept':
    'Die Anmeldeseite in diesem Browser zeigt {accounts} noch an. Entfernen Sie Ihre Adresse hier, wenn Sie den Computer mit anderen teilen.',
  'signed-out.forget': 'Aus diesem Browser entfernen',
  'signed-out.forgotten': 'Aus diesem Browser entfernt.',
  'signed-out.choose': 'Konto auswählen',
  'still-in.back': 'Zurück zu {host}',
};
