/** Which output schemas of tools a revision has. Servers leave others out, and clients do not check results with them. */
import type * as Schema from "effect/Schema"
import type { RevisionFeatures } from "../../wire/RevisionFeatures.ts"

/** Where structured content is an object, its schema says so at the root. @internal */
export const allowsOutput = ({ structuredContent }: RevisionFeatures, schema: Schema.JsonObject): boolean =>
  structuredContent === "any" || (structuredContent === "object" && schema["type"] === "object")
