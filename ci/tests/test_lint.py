from pathlib import Path

import pytest

from plumbline.ci.lint import FOLDERS, check_types, link_tree


def test_the_link_tree_leads_to_every_folder_and_can_be_made_twice(tmp_path: Path):
    link_tree(tmp_path)
    link_tree(tmp_path)
    assert sorted(path.name for path in (tmp_path / "plumbline").iterdir()) == sorted(FOLDERS)
    assert (tmp_path / "plumbline" / "ci" / "tests" / Path(__file__).name).samefile(__file__)


@pytest.mark.slow
def test_a_wrong_use_of_the_package_is_found_so_its_types_are_really_seen(tmp_path: Path):
    link_tree(tmp_path)
    probe = tmp_path / "plumbline" / "probe"
    probe.mkdir()
    (probe / "__init__.py").write_text(
        "from plumbline.reference.results.verdicts import Verdict, exit_code\n"
        "right: int = exit_code([Verdict.PASS])\n"
        "wrong: str = exit_code([Verdict.PASS])\n"
    )
    result = check_types("plumbline.probe", tmp_path)
    assert result.returncode == 1
    assert "__init__.py:3: error: Incompatible types in assignment" in result.stdout
    assert "__init__.py:2" not in result.stdout
