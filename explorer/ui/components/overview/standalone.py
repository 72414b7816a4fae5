"""The picture in a file of its own: the component's scripts with this pass's values beside them."""

from explorer import measure
from explorer.ui import cache, controls
from explorer.ui.components.overview.files import picture_files
from explorer.ui.components.overview.mount import open_block
from explorer.ui.components.overview.payload import identity, live_data, picture_data
from explorer.ui.first_paint import in_script
from explorer.ui.state import Screen


def standalone_picture(now: Screen) -> str:
    """Return the script that mounts the picture, with its walk, in the element `#overview`.

    A model that can't be run is drawn without values.
    """
    from explorer.ui.components.overview.sources import source_excerpts  # not above: it needs torch

    files, block = picture_files(), open_block(now)
    live, refused = None, ""
    try:
        glances = cache.measured(measure.gpt_glances, now.model_id, now.token_ids, block)
        live = live_data(glances, now, block)
    except ValueError as error:
        refused = str(error)
    feed = {
        "of": identity(now, block),
        "live": live,
        "refused": refused,
        "code": source_excerpts(),
    }
    picture = picture_data(now, block, str(controls.current("overview_stop")))
    own_style = files["css"] + ".key .open-block { display: none; }"
    return f"""{{
{files["js"].replace("export default ", "")}
document.gptOverviewFeed = {in_script(feed)};
const parentElement = document.getElementById("overview").attachShadow({{ mode: "open" }});
parentElement.innerHTML = {in_script(files["html"])};
const style = document.createElement("style");
style.textContent = {in_script(own_style)};
parentElement.prepend(style);
const setTriggerValue = () => {{}};
mount({{ parentElement, setTriggerValue, data: {in_script(picture)} }});
}}"""
