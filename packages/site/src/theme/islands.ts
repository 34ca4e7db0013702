/** The modules that pages mount, by the name of the tag that mounts them. */
import type { Component } from "vue"
import * as Island from "./Island.ts"

export const islands: Readonly<Record<string, Component>> = {
  Playground: Island.make(() => import("../playground/Playground.ts"))
}
