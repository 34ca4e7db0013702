/**
 * The version of this package, which the command shows and which its servers and clients name.
 */
import { readFileSync } from "node:fs"

/** Three levels up, from the sources as from the build. */
export const { version }: { readonly version: string } = JSON.parse(
  readFileSync(new URL("../../../package.json", import.meta.url), "utf8")
)
