import store
from report import count

if __name__ == "__main__":
    print(count("rows.txt"), store.fetch("rows.txt")[0])
