export const messages = {
  'wallet.ethereum': 'Portefeuille Ethereum',
  'wallet.solana': 'Portefeuille Solana',
  'wallet.none':
    'Aucun portefeuille trouvé dans ce navigateur. Installez-en un et rechargez la page, ou ouvrez cette page dans le navigateur de votre portefeuille.',

  'join.intro': 'Vous vous connecterez à {name} en tant que {email}.',
  'join.passkey': 'Créer plutôt une clé d’accès',

  'page.two-step-prove': 'Configurez votre deuxième étape',
  'page.two-step-codes': 'Enregistrez vos codes de récupération',
  'two-step.progress': 'Étape {step} sur {steps}',
  'two-step.intro': '{name} exige une deuxième étape à la connexion. Choisissez-en une.',
  'two-step.totp':
    'Une application sur votre téléphone, comme un gestionnaire de mots de passe, affiche un code, même hors ligne.',
  'two-step.key':
    'Une clé USB ou NFC, ou le déverrouillage de votre appareil par empreinte ou reconnaissance faciale.',
  'two-step.phone': 'Nous vous envoyons un code par SMS à chaque fois.',
  'two-step.none':
    'Aucune deuxième étape ne peut être configurée dans ce navigateur. Ouvrez cette page dans un autre navigateur ou sur un autre appareil.',
  'mfa.again': 'Pour modifier vos méthodes de connexion, confirmez votre identité.',
  'mfa.unusable':
    'Votre clé de sécurité ne peut pas être utilisée à cette adresse. Utilisez un autre navigateur ou appareil.',
  'mfa.use-totp': 'Utiliser votre application d’authentification ({name})',
  'mfa.use-phone': 'Envoyer un code par SMS au {name}',
  'mfa.use-key': 'Utiliser votre clé de sécurité ({name})',
  'page.lost': 'Retrouvez l’accès à votre compte',
  'lost.open': 'Je ne peux pas utiliser ma deuxième étape',
  'lost.intro':
    'Vous pouvez encore vous connecter si vous avez perdu votre téléphone, votre application d’authentification ou votre clé de sécurité.',
  'lost.no-codes': 'Vous n’avez pas de codes de récupération.',
  'lost.removal':
    'Vous pouvez demander la suppression de la validation en deux étapes. Confirmez la demande dans l’e‑mail que nous enverrons à {email}, puis attendez {wait}. Pendant ce temps, le propriétaire du compte peut arrêter la suppression.',
  'lost.hours': '{count, plural, one {# heure} many {# d’heures} other {# heures}}',
  'lost.minutes': '{count, plural, one {# minute} many {# de minutes} other {# minutes}}',
  'lost.request': 'Demander la suppression',
  'lost.requested': 'Nous avons envoyé un lien à {email}. Ouvrez-le dans l’heure pour confirmer la demande.',
  'lost.resend': 'Envoyer un nouveau lien',
  'lost.waiting':
    'La validation en deux étapes sera supprimée le {when}. Vous pourrez ensuite vous connecter sans deuxième étape. Pour la conserver, connectez-vous avant cette date avec votre deuxième étape.',
  'lost.cancel': 'Annuler la suppression',
  'lost.other-sign-in':
    'Pour demander la suppression de la validation en deux étapes, connectez-vous avec votre mot de passe ou un fournisseur. Vous confirmerez aussi la demande par e‑mail.',
  'lost.recent':
    'Votre mot de passe, vos coordonnées ou vos méthodes de connexion ont changé récemment. Pour votre sécurité, vous pourrez demander la suppression de la validation en deux étapes {wait} après la dernière modification.',
  'lost.support':
    'Demandez à l’assistance de {name} de réinitialiser la validation en deux étapes. Elle vérifiera que le compte est bien le vôtre.',
  'lost.support-button': 'Obtenir de l’aide',
  'lost.operator':
    'Demandez aux responsables de {host} de réinitialiser la validation en deux étapes. Ils vérifieront que le compte est bien le vôtre.',
  'lost.back': 'Retour',
  'mfa.use-recovery': 'Utiliser un code de récupération',
  'mfa.phone-intro': 'Nous enverrons un code par SMS au {name}.',
  'mfa.phone-send': 'Envoyer le code',
  'mfa.phone-sent': 'Nous avons envoyé un SMS avec un code à {length} chiffres au {name}.',
  'mfa.phone-wrong': 'Le code est incorrect ou a expiré. Vérifiez-le ou demandez-en un nouveau.',
  'mfa.key-intro':
    'Branchez {name} ou approchez-la de votre appareil, puis suivez les instructions de votre navigateur.',
  'mfa.key-submit': 'Utiliser la clé de sécurité',
  'page.recovery-used': 'Remplacez votre deuxième étape perdue',
  'recovery-used.text':
    'Vous avez utilisé un code de récupération. {left, plural, one {Il reste # code.} many {Il reste # de codes.} other {Il reste # codes.}} Supprimez la deuxième étape que vous avez perdue et configurez-en une nouvelle.',
  'recovery-used.replace': 'Accéder à votre compte',
  'recovery-used.later': 'Pas maintenant, continuer',
  'mfa.recovery-intro':
    'Saisissez l’un de vos codes de récupération enregistrés. Chaque code ne fonctionne qu’une seule fois.',
  'mfa.recovery-code': 'Code de récupération',
  'mfa.recovery-missing': 'Saisissez un code de récupération.',
  'mfa.recovery-wrong': 'Le code est incorrect ou déjà utilisé. Vérifiez-le ou saisissez-en un autre.',

  'factor.intro':
    'La validation en deux étapes protège votre compte même si quelqu’un vole votre mot de passe.',
  'factor.phone': 'Téléphone',
  'factor.webauthn': 'Clé de sécurité',
  'factor.add-phone': 'Ajouter un téléphone',
  'factor.add-key': 'Ajouter une clé de sécurité',
  'factor.key-name': 'Nom de la clé',
  'factor.key-hint': 'Choisissez un nom que vous reconnaîtrez plus tard.',
  'factor.ready':
    'La validation en deux étapes est activée. Nous vous demanderons votre deuxième étape à la connexion.',
  'factor.removed': 'Deuxième étape supprimée.',
  'factor.remove-what': 'Supprimer la deuxième étape {name}',
  'factor.remove-ask': 'Supprimer la deuxième étape {name}\u202f? Elle cessera immédiatement de fonctionner.',
  'factor.required':
    'Ce service exige la validation en deux étapes. Configurez-la pour continuer vers l’application.',
  'factor.last':
    'Ce service exige la validation en deux étapes. Pour supprimer cette deuxième étape, ajoutez-en d’abord une autre.',

  'recovery.title': 'Codes de récupération',
  'recovery.codes': 'codes de récupération',
  'recovery.intro':
    'Utilisez un code de récupération si vous perdez votre téléphone ou votre clé de sécurité. Chaque code ne fonctionne qu’une seule fois.',
  'recovery.none': 'Aucun code de récupération pour l’instant',
  'recovery.left':
    'Il reste {remaining, plural, one {# code} many {# de codes} other {# codes}} sur {total}.',
  'recovery.few':
    'Il vous reste peu de codes. Si vous en générez de nouveaux, les anciens cesseront de fonctionner.',
  'recovery.make': 'Générer des codes de récupération',
  'recovery.remake': 'Générer de nouveaux codes',
  'recovery.remake-ask':
    'Remplacer vos codes de récupération\u202f? Les codes que vous avez enregistrés cesseront de fonctionner.',
  'recovery.replace': 'Remplacer mes codes',
  'recovery.shown-once': 'Conservez ces codes en lieu sûr. Ils ne seront plus affichés.',
  'recovery.download': 'Télécharger',
  'recovery.print': 'Imprimer',
  'recovery.last-step':
    'Dernière étape\u00a0: générez des codes de récupération. Vous en aurez besoin si vous perdez votre appareil.',
  'recovery.kept': 'J’ai enregistré ces codes',

  'passkey.title': 'Clés d’accès',
  'passkey.intro':
    'Connectez-vous avec votre empreinte, votre visage ou le verrouillage de l’écran. Vous n’avez pas besoin de mot de passe.',
  'passkey.none': 'Aucune clé d’accès pour l’instant',
  'passkey.add': 'Ajouter une clé d’accès',
  'passkey.ready': 'Clé d’accès ajoutée. Vous pouvez maintenant vous en servir pour vous connecter.',
  'passkey.unsupported': 'Ce navigateur ne peut pas créer de clés d’accès à cette adresse.',
  'passkey.unnamed': 'Clé d’accès',
  'passkey.used': 'Dernière utilisation\u00a0: {when}',
  'passkey.rename': 'Renommer',
  'passkey.rename-what': 'Renommer {name}',
  'passkey.renamed': 'Renommé en {name}.',
  'passkey.name': 'Nom',
  'passkey.name-missing': 'Saisissez un nom.',
  'passkey.save': 'Enregistrer',
  'passkey.remove-ask': 'Supprimer {name}\u202f? Vous ne pourrez plus vous en servir pour vous connecter.',
  'passkey.removed': 'Clé d’accès supprimée. Supprimez-la aussi sur votre appareil.',

  'identity.title': 'Comptes associés',
  'identity.intro': 'Vous pouvez vous connecter avec n’importe lequel de ces comptes.',
  'identity.link': 'Associer {name}',
  'identity.linked': '{name} est associé. Vous pouvez maintenant vous en servir pour vous connecter.',
  'identity.unlink': 'Dissocier',
  'identity.unlink-ask': 'Dissocier {name}\u202f? Vous ne pourrez plus vous en servir pour vous connecter.',
  'identity.unlink-ask-address':
    'Dissocier {name}\u202f? Vous ne pourrez plus vous en servir pour vous connecter. Vous pourrez encore vous connecter avec {email}.',
  'identity.unlinked': '{name} est dissocié.',
  'identity.last': 'Pour dissocier ce compte, associez-en d’abord un autre.',
  'identity.kept-by-project': 'Ce service ne permet pas de dissocier ce compte.',
  'identity.since': 'Associé\u00a0: {when}',
  'identity.organization': 'Votre organisation',
};
