// Keys pressed anywhere in the widget around this one, but not while somebody writes.
function render({ model, el }) {
  let around = null;
  let busy = false;  // whether the last thing done on the page was done here
  const inside = (event) => around.contains(event.target);
  const WRITTEN = "input, textarea, select, [contenteditable=true]";
  const press = (event) => {
    const written = event.target.closest(WRITTEN);
    // Out of a box where somebody writes, to the keys.
    if (written && event.key === "Escape") around.focus({ preventScroll: true });
    if (written || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    if (!model.get("means").includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    model.send({ key: event.key, task: model.get("task") });
  };
  const watch = (event) => { busy = inside(event); };
  // The button that was pressed goes with its question; without this the next key would be for the notebook.
  // But whoever writes goes on writing: letters of the next question are no picks.
  const follow = () => {
    if (busy && !document.activeElement?.closest(WRITTEN)) around.focus({ preventScroll: true });
  };
  let tries = 0;
  const attach = () => {
    around = el.closest(`.${model.get("around")}`);
    if (!around) {
      if (tries++ < 100) setTimeout(attach, 50);
      return;
    }
    // JupyterLab has meanings of its own for single keys.
    around.dataset.lmSuppressShortcuts = "true";
    around.tabIndex = -1;
    around.addEventListener("keydown", press, true);
    document.addEventListener("pointerdown", watch, true);
    document.addEventListener("keydown", watch, true);
    model.on("change:task", follow);
  };
  attach();
  return () => {
    around?.removeEventListener("keydown", press, true);
    document.removeEventListener("pointerdown", watch, true);
    document.removeEventListener("keydown", watch, true);
    model.off("change:task", follow);
  };
}

export default { render };
