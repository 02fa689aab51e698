"""`spark-tuner bench --stream`: jobs whose queries repeat more or less, over tables that change each night."""
