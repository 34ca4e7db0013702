/** Every published package.json has the members that registries show and that publishing needs. */
import { isDeepStrictEqual } from "node:util"
import type { Rules } from "./rules.ts"
import type { Sources } from "./Sources.ts"

export function* metadata(rules: Rules, sources: Sources): Generator<string> {
  for (const [folder, manifest] of sources.manifests) {
    if (manifest.private === true) continue
    for (const [path, value] of missing(manifest, rules.metadata(folder), [])) {
      yield `packages/${folder}/package.json lacks ${path.join(" → ")}: ${JSON.stringify(value)}`
    }
  }
}

/** The parts of `expected` that `actual` lacks. Objects may have other members, and arrays other elements. */
function* missing(
  actual: unknown,
  expected: unknown,
  path: ReadonlyArray<string>
): Generator<readonly [path: ReadonlyArray<string>, value: unknown]> {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const absent = expected.filter((element) => !actual.includes(element))
    if (absent.length > 0) yield [path, absent]
  } else if (isRecord(expected) && isRecord(actual)) {
    for (const [key, value] of Object.entries(expected)) yield* missing(actual[key], value, [...path, key])
  } else if (!isDeepStrictEqual(actual, expected)) {
    yield [path, expected]
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
