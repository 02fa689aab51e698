"""One turn of the loop around one Spark job: decide before it, harvest after it.

The Airflow operator and `spark-tuner submit` call these and have no logic of their own.
"""

from tuner.loop.complete import complete as complete
from tuner.loop.earlier_tries import healing as healing
from tuner.loop.prepare import load_beside as load_beside
from tuner.loop.prepare import prepare as prepare
from tuner.loop.turn import JobToRun as JobToRun
from tuner.loop.turn import Report as Report
from tuner.loop.turn import Turn as Turn
from tuner.loop.withdraw import forget as forget
from tuner.loop.withdraw import outlived as outlived
from tuner.loop.withdraw import submitted as submitted
from tuner.loop.withdraw import withdraw as withdraw
