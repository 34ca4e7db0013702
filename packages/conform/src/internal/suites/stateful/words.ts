/** Reads the names of operations and of their arguments, in any of the spellings that are used. */

/** The deed of an operation. */
export type Deed = "create" | "read" | "delete"

const verbs: Readonly<Record<Deed, ReadonlyArray<string>>> = {
  create: ["create", "add", "new", "insert", "make", "register", "post", "store", "save", "put"],
  read: ["get", "read", "fetch", "show", "find", "open", "lookup", "describe", "load"],
  delete: ["delete", "remove", "destroy", "drop", "erase", "unregister"]
}

const deeds: ReadonlyMap<string, Deed> = new Map(
  (["create", "read", "delete"] as const).flatMap((deed) => verbs[deed].map((verb) => [verb, deed] as const))
)

/** The parts of a name: the deed and the thing. */
export interface Said {
  readonly deed: Deed
  /** Its words in the singular. */
  readonly noun: string
}

/** Reads the name of an operation; `undefined` where no word of it is known. */
export const said = (name: string): Said | undefined => {
  const words = wordsOf(name)
  const at = words.findIndex((word) => deeds.has(word))
  const deed = deeds.get(words[at] ?? "")
  if (deed === undefined) return undefined
  const others = words.filter((word, index) => index !== at && !small.has(word))
  return { deed, noun: others.map(singular).join(" ") }
}

const small: ReadonlySet<string> = new Set(["a", "an", "the", "by", "of", "id", "ids", "one", "many"])

/** The words of a name, in lower case: `createUser`, `create_user` and `user.create` have the same. */
export const wordsOf = (name: string): ReadonlyArray<string> =>
  name.slice(0, 200).replaceAll(/([a-z\d])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z\d]/)
    .filter((word) => word !== "")

/** A word that may be in the plural. */
export const singular = (word: string): string =>
  word.endsWith("ies")
    ? `${word.slice(0, -3)}y`
    : /(?:s|x|ch|sh)es$/.test(word)
    ? word.slice(0, -2)
    : word.endsWith("s") && !word.endsWith("ss")
    ? word.slice(0, -1)
    : word

/** The words for members that name things. */
const keys: ReadonlySet<string> = new Set(["id", "uuid", "key", "name", "slug", "handle", "title"])

/** The last word of a name, where it is one that things are named by: `entityNames` has `name`. */
export const keyOf = (name: string): string | undefined => {
  const last = singular(wordsOf(name).at(-1) ?? "")
  return keys.has(last) ? last : undefined
}
