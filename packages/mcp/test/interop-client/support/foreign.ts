/** What the servers that nobody here wrote have in common, so that they can be tried in one way. */

/** A picture of one pixel, or what a test takes for one. */
export const pixel = "iVBORw0KGgo="

export const instructions = "Ask for little."

const names = ["ada", "alan", "grace"]

export const authors = (prefix: string | undefined) => names.filter((name) => name.startsWith(prefix ?? ""))

const resources = [
  { uri: "text://greeting", name: "greeting", mimeType: "text/plain" },
  { uri: "data://bytes", name: "bytes" },
  { uri: "text://third", name: "third" }
]

/** A page of one resource. */
export const page = (cursor: string | undefined) => {
  const index = cursor === undefined ? 0 : Number(cursor)
  return {
    resources: resources.slice(index, index + 1),
    ...(index + 1 < resources.length && { nextCursor: `${index + 1}` })
  }
}

/** The form that a person is asked to fill in; one field has a default. */
export const form = {
  type: "object" as const,
  properties: {
    name: { type: "string" as const, title: "Name" },
    colour: { type: "string" as const, enum: ["red", "green"], default: "green" }
  },
  required: ["name"]
}

/** What a model is asked. */
export const question = [{ role: "user" as const, content: { type: "text" as const, text: "Say something." } }]

export const tools: ReadonlyArray<string> = [
  ...["echo", "add", "picture", "refuse"],
  ...["count", "say", "wait", "until"],
  ...["askForm", "askModel", "askRoots"],
  ...["touch", "grow"]
]
