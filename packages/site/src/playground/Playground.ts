/** The playground, as a page of the site mounts it. */
import { createApp } from "vue"
import Playground from "./view/Playground.vue"

export const mount = (element: HTMLElement): () => void => {
  const app = createApp(Playground)
  app.mount(element)
  return () => app.unmount()
}
